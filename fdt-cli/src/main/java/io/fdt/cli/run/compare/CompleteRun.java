package io.fdt.cli.run.compare;

import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.output.Screen;
import io.fdt.cli.process.Daemon;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.TokenSource;
import io.fdt.client.FdtClient;
import io.fdt.client.Logins;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.EntryKind;
import io.fdt.server.NamedTokens;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Prints the candidates for an unfinished word, one per line, for the completions of shells. A
 * person waits at a prompt: the command asks nothing, reports no errors, and ends soon.
 */
public final class CompleteRun {
  /** The time limit; tests of shells set another one for busy machines. */
  private static final Duration PATIENCE =
      Duration.ofSeconds(Long.getLong("fdt.completion.seconds", 3));

  private static final int MOST = 1000;

  private static final String DEFAULT_PORT = ":" + FdtClient.DEFAULT_PORT;

  private CompleteRun() {}

  /** Completes the name of a token. */
  public record Token(String word) implements Command {
    @Override
    public int run(CommandContext context) {
      TreeSet<String> names = new TreeSet<>();
      try {
        NamedTokens.ofHome(context.home()).list().forEach(token -> names.add(token.name()));
      } catch (FdtException e) {
        return 0;
      }
      show(names, word, context);
      return 0;
    }
  }

  /**
   * Completes a server: a name of the configuration, or a known address.
   *
   * @param isPath whether a path follows
   */
  public record Server(String word, boolean isPath, Collection<ServersFile.Named> named)
      implements Command {
    @Override
    public int run(CommandContext context) {
      TreeSet<String> candidates = new TreeSet<>();
      String end = isPath ? ":/" : "";
      named.forEach(server -> candidates.add(server.name() + end));
      try {
        for (Logins.Known known : new Logins(context.home()).all()) {
          String address = known.address();
          if (address.endsWith(DEFAULT_PORT)) {
            String host = address.substring(0, address.length() - DEFAULT_PORT.length());
            candidates.add(host + end);
          } else {
            candidates.add(isPath ? "fdt://" + address + "/" : address);
          }
        }
      } catch (FdtException e) {
        candidates.clear(); // every other command reports the damaged file
      }
      show(candidates, word, context);
      return 0;
    }
  }

  /**
   * Completes a path on a server.
   *
   * @param listing of the directory
   * @param directory as it was typed, with a slash at its end
   * @param start of the name in it
   */
  public record Path(FilesRun listing, String directory, String start) implements Command {
    @Override
    public int run(CommandContext context) throws InterruptedException {
      CompletableFuture<List<RemoteFile>> listed = new CompletableFuture<>();
      Daemon.start("fdt-complete", () -> list(listing, context, listed));
      try {
        TreeSet<String> candidates = new TreeSet<>();
        for (RemoteFile file : listed.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
          String name = ByteText.decode(file.name().bytes());
          boolean isUrl = directory.startsWith("fdt://");
          if (!isUrl || name.matches("[A-Za-z0-9._+=@,~-]+")) { // others are percent-encoded
            candidates.add(directory + name + (file.is(EntryKind.DIRECTORY) ? "/" : ""));
          }
        }
        show(candidates, directory + start, context);
      } catch (TimeoutException | ExecutionException e) {
        return 0;
      }
      return 0;
    }
  }

  private static void list(
      FilesRun listing, CommandContext context, CompletableFuture<List<RemoteFile>> listed) {
    OutputStream nowhere = OutputStream.nullOutputStream();
    CommandContext silent = context.with(new Screen(nowhere, nowhere, false));
    try (FdtClient client =
            Clients.open(
                listing.server(),
                listing.access(),
                TokenSource.given(listing.access(), context.environment()),
                silent);
        RemoteFiles files = client.files()) {
      listed.complete(files.list(listing.verb().paths().get(0)));
    } catch (FdtException | RuntimeException e) {
      listed.completeExceptionally(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      listed.completeExceptionally(e);
    }
  }

  private static void show(NavigableSet<String> candidates, String start, CommandContext context) {
    candidates.tailSet(start).stream()
        .takeWhile(candidate -> candidate.startsWith(start))
        .filter(CompleteRun::isOneWord)
        .limit(MOST)
        .forEach(context.screen()::line);
  }

  /** Whether a terminal and a shell read it as plain text. */
  private static boolean isOneWord(String candidate) {
    return candidate
        .codePoints()
        .map(Character::getType)
        .noneMatch(
            type ->
                type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR);
  }
}
