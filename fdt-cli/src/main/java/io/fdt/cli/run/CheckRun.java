package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.option.CheckOptions;
import io.fdt.cli.option.CopySums;
import io.fdt.cli.option.TokenSource;
import io.fdt.cli.output.FilesJson;
import io.fdt.cli.output.FilesText;
import io.fdt.cli.output.FilesView;
import io.fdt.cli.output.Screen;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Compares files with a list of digests. Not thread-safe. */
public final class CheckRun {
  /** With fewer files of a directory, a request for each reads less. */
  private static final int MANY = 8;

  private final Operation.Check command;

  /** Digests of files by their normal path. */
  private final Map<String, RemoteDigest> known = new HashMap<>();

  private final FilesView view;
  private final Screen screen;
  private long same;
  private long others;

  private CheckRun(Operation.Check command, Screen screen) {
    this.command = command;
    this.screen = screen;
    this.view = command.json() ? new FilesJson(screen) : new FilesText(screen);
  }

  /** Reads a file, or all files beneath a directory, and tells their digests. */
  private interface Reading {
    void of(BytePath path, boolean recursive, RemoteVisitor visitor)
        throws FdtException, InterruptedException;
  }

  /**
   * Compares all of them; the result is an exit status: that of the first file that is not what the
   * list says.
   */
  public static int check(Operation.Check command, CommandContext context)
      throws FdtException, InterruptedException {
    if (command.server().isPresent()) {
      return TokenSource.withToken(
          command.access(),
          context.environment(),
          context.screen(),
          token -> remote(command, token, context));
    }
    try (LocalDigests digests = new LocalDigests(command.checksum(), true)) {
      return new CheckRun(command, context.screen()).run(digests::run);
    }
  }

  private static int remote(
      Operation.Check command, Optional<AccessToken> token, CommandContext context)
      throws FdtException, InterruptedException {
    try (FdtClient client =
            Clients.open(command.server().orElseThrow(), command.access(), token, context);
        RemoteFiles files = client.files()) {
      CheckRun run = new CheckRun(command, context.screen());
      Reading reading =
          (path, recursive, visitor) ->
              files.checksum(path, recursive, command.checksum(), true, visitor);
      run.readDirectories(reading);
      return run.run(reading);
    }
  }

  /**
   * Asks for each directory of which the list has many files, all of it at once, which reads what
   * the list lacks as well. What the answers lack is asked for one by one.
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
          if (FilesRun.isOfConnection(e.code())) {
            throw e;
          }
        }
      }
    }
  }

  /** Where a file is, of the directories right beneath that of the list. */
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

  /** Keeps what the list speaks of. */
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
        // The request for the file itself tells.
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
        if (FilesRun.isOfConnection(e.code())) {
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
