package io.fdt.cli.run.compare;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.transfer.CheckOptions;
import io.fdt.cli.option.transfer.CopySums;
import io.fdt.cli.output.FilesView;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.FilesJson;
import io.fdt.cli.output.text.FilesText;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.TokenSource;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.LocalDigests;
import io.fdt.client.RemoteDigest;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.Checksum;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares files with a list of digests. The exit status is that of the first file that differs.
 *
 * @param server that has the files; empty for this machine
 * @param checksum of whole files, as other tools make it
 */
public record CheckRun(
    Optional<ServerAddress> server,
    List<CheckOptions.Expected> files,
    Checksum checksum,
    boolean json,
    ClientAccess access)
    implements Command {
  /** With fewer files of a directory, a request for each reads less. */
  private static final int MANY = 8;

  /** Reads the digests of a file, or of all files beneath a directory. */
  private interface Reading {
    void of(BytePath path, boolean recursive, RemoteVisitor visitor)
        throws FdtException, InterruptedException;
  }

  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    if (server.isPresent()) {
      return TokenSource.withToken(
          access, context.environment(), context.screen(), token -> remote(token, context));
    }
    try (LocalDigests digests = new LocalDigests(checksum, true)) {
      return new Comparison(this, context.screen()).run(digests::run);
    }
  }

  private int remote(Optional<AccessToken> token, CommandContext context)
      throws FdtException, InterruptedException {
    try (FdtClient client = Clients.open(server.orElseThrow(), access, token, context);
        RemoteFiles remote = client.files()) {
      Comparison comparison = new Comparison(this, context.screen());
      Reading reading =
          (path, recursive, visitor) -> remote.checksum(path, recursive, checksum, true, visitor);
      comparison.readDirectories(reading);
      return comparison.run(reading);
    }
  }

  /** One comparison. Not thread-safe. */
  private static final class Comparison {
    private final CheckRun command;

    /** Digests of files by their normal path. */
    private final Map<String, RemoteDigest> known = new HashMap<>();

    private final FilesView view;
    private final Screen screen;
    private long same;
    private long others;

    Comparison(CheckRun command, Screen screen) {
      this.command = command;
      this.screen = screen;
      this.view = command.json() ? new FilesJson(screen) : new FilesText(screen);
    }

    /**
     * Reads a directory with one request if the list has many of its files; the request also reads
     * files that the list lacks. Files missing from the answers are requested one by one.
     */
    private void readDirectories(Reading reading) throws FdtException, InterruptedException {
      Map<String, Integer> directories = new LinkedHashMap<>();
      for (CheckOptions.Expected expected : command.files()) {
        firstDirectory(expected).ifPresent(path -> directories.merge(path, 1, Integer::sum));
      }
      for (Map.Entry<String, Integer> directory : directories.entrySet()) {
        if (directory.getValue() >= MANY) {
          try {
            reading.of(ByteText.path(directory.getKey()), true, keeping(directory.getKey()));
          } catch (FdtException e) {
            if (Clients.isOfConnection(e.code())) {
              throw e;
            }
          }
        }
      }
    }

    /** The first directory of a file, beneath that of the list. */
    private static Optional<String> firstDirectory(CheckOptions.Expected expected) {
      String name = CopySums.normal(ByteText.decode(expected.name().bytes()));
      String path = key(expected.path());
      int slash = name.indexOf('/');
      boolean isBeneath = slash > 0 && path.endsWith(name);
      return isBeneath && !List.of(name.split("/")).contains("..")
          ? Optional.of(path.substring(0, path.length() - name.length() + slash))
          : Optional.empty();
    }

    private static String key(BytePath path) {
      return CopySums.normal(ByteText.decode(path.bytes()));
    }

    /** Keeps the digests of files in the list. */
    private RemoteVisitor keeping(String directory) {
      Set<String> wanted = new HashSet<>();
      command.files().forEach(expected -> wanted.add(key(expected.path())));
      return new RemoteVisitor() {
        @Override
        public void digest(RemoteDigest digest) {
          String path = directory + "/" + key(digest.path());
          if (wanted.contains(path)) {
            known.put(path, digest);
          }
        }

        @Override
        public void problem(String path, ErrorCode code, String message) {
          // The request for the file itself reports the error.
        }
      };
    }

    private int run(Reading reading) throws FdtException, InterruptedException {
      for (CheckOptions.Expected expected : command.files()) {
        RemoteDigest digest = known.get(key(expected.path()));
        if (digest != null) {
          compare(expected, digest);
          continue;
        }
        try {
          reading.of(expected.path(), false, comparing(expected));
        } catch (FdtException e) {
          if (Clients.isOfConnection(e.code())) {
            throw e;
          }
          failed(expected.path().toString(), e.code(), e.getMessage());
        }
      }
      int status = view.end();
      if (!command.json()) {
        screen.note("%d of %d files are as the list says".formatted(same, same + others));
      }
      return status;
    }

    private RemoteVisitor comparing(CheckOptions.Expected expected) {
      return new RemoteVisitor() {
        @Override
        public void digest(RemoteDigest digest) {
          compare(expected, digest);
        }

        @Override
        public void problem(String path, ErrorCode code, String message) {
          failed(path, code, message);
        }
      };
    }

    private void compare(CheckOptions.Expected expected, RemoteDigest digest) {
      if (!digest.digest().equals(expected.digest())) {
        failed(
            expected.path().toString(),
            ErrorCode.VERIFICATION,
            "its digest is %s; %s says %s"
                .formatted(digest.digest(), expected.where(), expected.digest()));
        return;
      }
      same++;
      if (command.json()) {
        view.at(expected.path())
            .digest(
                new RemoteDigest(
                    expected.path(), digest.size(), digest.construction(), digest.digest()));
      } else {
        screen.line(ByteText.decode(expected.name().bytes()) + ": OK");
      }
    }

    private void failed(String path, ErrorCode code, String message) {
      others++;
      view.failed(path, code, message);
    }
  }
}
