package io.fdt.cli.run.compare;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.transfer.FileVerb;
import io.fdt.cli.output.FilesView;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.SortedTree;
import io.fdt.cli.output.json.FilesJson;
import io.fdt.cli.output.text.FilesText;
import io.fdt.cli.run.AddressHint;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.TokenSource;
import io.fdt.cli.run.Wildcards;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.LocalDigests;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteTotals;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Lists, makes, renames and removes files of a server. */
public record FilesRun(ServerAddress server, FileVerb verb, boolean json, ClientAccess access)
    implements Command {
  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    try {
      return TokenSource.withToken(
          access, context.environment(), context.screen(), token -> run(token, context));
    } catch (FdtException e) {
      Optional<String> hint =
          AddressHint.of(e.code(), server, verb.paths(), context.surroundings().workingDirectory());
      if (hint.isEmpty()) {
        throw e;
      }
      throw new FdtException(e.code(), e.getMessage() + "; " + hint.get(), e);
    }
  }

  private int run(Optional<AccessToken> token, CommandContext context)
      throws FdtException, InterruptedException {
    FilesView view = view(json, context.screen());
    try (FdtClient client = Clients.open(server, access, token, context);
        RemoteFiles files = client.files()) {
      new Server(files, view, context.screen()::note).run(verb);
      return view.end();
    }
  }

  private static FilesView view(boolean json, Screen screen) {
    return json ? new FilesJson(screen) : new FilesText(screen);
  }

  /** Prints digests of files of this machine. */
  public record Local(FileVerb.Digests digests, boolean json) implements Command {
    @Override
    public int run(CommandContext context) throws FdtException, InterruptedException {
      FilesView view = view(json, context.screen());
      try (LocalDigests local = new LocalDigests(digests.checksum(), digests.plain())) {
        each(digests.paths(), view, path -> local.run(path, digests.recursive(), view.at(path)));
        return view.end();
      }
    }
  }

  private interface Use {
    void of(BytePath path) throws FdtException, InterruptedException;
  }

  /** Goes on with the other paths after one that fails. */
  private static void each(List<BytePath> paths, FilesView view, Use use)
      throws FdtException, InterruptedException {
    for (BytePath path : paths) {
      try {
        use.of(path);
      } catch (FdtException e) {
        if (paths.size() == 1 || Clients.isOfConnection(e.code())) {
          throw e;
        }
        view.failed(path.toString(), e.code(), e.getMessage());
      }
    }
  }

  /**
   * The files of one server.
   *
   * @param notices takes what cannot be listed
   */
  private record Server(RemoteFiles files, FilesView view, Consumer<String> notices) {
    private void makeDirectory(BytePath path, boolean parents)
        throws FdtException, InterruptedException {
      try {
        files.makeDirectory(path, parents);
      } catch (FdtException e) {
        if (e.code() == ErrorCode.NOT_FOUND && !parents) {
          throw new FdtException(e.code(), e.getMessage() + ", or add -p to make it", e);
        }
        throw e;
      }
    }

    private void run(FileVerb verb) throws FdtException, InterruptedException {
      if (verb instanceof FileVerb.Look look) {
        look(look);
      } else if (verb instanceof FileVerb.Stat stat) {
        each(matches(stat.paths()), path -> view.stat(files.stat(path)));
      } else if (verb instanceof FileVerb.MakeDirectories make) {
        each(
            make.paths(),
            path -> {
              makeDirectory(path, make.parents());
              view.made(path);
            });
      } else if (verb instanceof FileVerb.Rename rename) {
        files.rename(rename.from(), rename.to());
        view.renamed(rename.from(), rename.to());
      } else if (verb instanceof FileVerb.Remove remove) {
        each(
            matches(remove.paths()),
            path ->
                view.removed(
                    path,
                    remove.dryRun()
                        ? removable(path, remove.recursive())
                        : files.remove(path, remove.recursive(), view.at(path)),
                    remove.dryRun()));
      } else if (verb instanceof FileVerb.Digests digests) {
        BytePath directory = Wildcards.directoryOf(digests.paths());
        each(
            matches(digests.paths()),
            path ->
                files.checksum(
                    path,
                    digests.recursive(),
                    digests.checksum(),
                    digests.plain(),
                    view.digests(path, directory)));
      } else {
        FileVerb.Measure measure = (FileVerb.Measure) verb;
        each(
            matches(measure.paths()),
            path -> {
              RemoteTotals totals = files.measure(path, view.at(path));
              view.measured(path, totals, measure.human());
            });
      }
    }

    /** The totals of a path, including the path itself. */
    private RemoteTotals removable(BytePath path, boolean recursive)
        throws FdtException, InterruptedException {
      EntryKind kind = files.stat(path).kind().orElse(null);
      if (kind != EntryKind.DIRECTORY) {
        return files.measure(path, view.at(path));
      }
      if (!recursive) {
        throw new FdtException(
            ErrorCode.WRONG_KIND,
            "'" + path + "' is a directory; add -r to remove it with all that it holds");
      }
      RemoteTotals beneath = files.measure(path, view.at(path));
      return new RemoteTotals(
          beneath.files(),
          beneath.directories() + 1,
          beneath.links(),
          beneath.others(),
          beneath.bytes());
    }

    private void look(FileVerb.Look look) throws FdtException, InterruptedException {
      List<BytePath> matches = matches(look.paths());
      if (!matches.equals(look.paths())) { // the matches themselves, as ls -d shows them
        List<RemoteFile> found = new ArrayList<>();
        for (BytePath path : matches) {
          found.add(files.stat(path));
        }
        view.listed(found, look);
        return;
      }
      if (look.unsorted()) {
        files.list(look.path(), look.recursive(), view.listing(look));
        return;
      }
      if (look.recursive()) {
        SortedTree sorted = new SortedTree(view.listing(look));
        files.list(look.path(), true, sorted);
        sorted.flush();
        return;
      }
      view.listed(files.list(look.path()), look);
    }

    /** The paths without wildcards. */
    private List<BytePath> matches(List<BytePath> paths) throws FdtException, InterruptedException {
      Wildcards wildcards = new Wildcards(files, notices);
      List<BytePath> all = new ArrayList<>();
      for (BytePath path : paths) {
        all.addAll(wildcards.matches(path));
      }
      return all;
    }

    private void each(List<BytePath> paths, Use use) throws FdtException, InterruptedException {
      FilesRun.each(paths, view, use);
    }
  }
}
