package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.option.CheckOptions;
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
import java.util.Optional;

/** Compares files with a list of digests. Not thread-safe. */
public final class CheckRun {
  private final Operation.Check command;
  private final FilesView view;
  private final Screen screen;
  private long same;
  private long others;

  private CheckRun(Operation.Check command, Screen screen) {
    this.command = command;
    this.screen = screen;
    this.view = command.json() ? new FilesJson(screen) : new FilesText(screen);
  }

  /** Reads a file and tells its digest. */
  private interface Reading {
    void of(BytePath path, RemoteVisitor visitor) throws FdtException, InterruptedException;
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
      return new CheckRun(command, context.screen())
          .run((path, visitor) -> digests.run(path, false, visitor));
    }
  }

  private static int remote(
      Operation.Check command, Optional<AccessToken> token, CommandContext context)
      throws FdtException, InterruptedException {
    try (FdtClient client =
            Clients.open(command.server().orElseThrow(), command.access(), token, context);
        RemoteFiles files = client.files()) {
      return new CheckRun(command, context.screen())
          .run((path, visitor) -> files.checksum(path, false, command.checksum(), true, visitor));
    }
  }

  private int run(Reading reading) throws FdtException, InterruptedException {
    for (CheckOptions.Expected expected : command.files()) {
      try {
        reading.of(expected.path(), comparing(expected));
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
          view.at(expected.path()).digest(digest);
        } else {
          screen.line(ByteText.decode(expected.name().bytes()) + ": OK");
        }
      }

      @Override
      public void problem(String path, ErrorCode code, String message) {
        failed(path, code, message);
      }
    };
  }

  private void failed(String path, ErrorCode code, String message) {
    others++;
    view.failed(path, code, message);
  }
}
