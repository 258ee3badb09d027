package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.option.ServersFile;
import io.fdt.cli.option.TokenSource;
import io.fdt.cli.output.Screen;
import io.fdt.client.FdtClient;
import io.fdt.client.Logins;
import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.EntryKind;
import io.fdt.server.NamedToken;
import io.fdt.server.NamedTokens;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What can stand in place of an unfinished word, one candidate on each line, for the completions of
 * shells. A person waits at a prompt: it asks nothing, tells no problem, and ends soon.
 */
public final class CompleteRun {
  /** Another one for tests of shells, which do not ask how fast a busy machine is. */
  private static final Duration PATIENCE =
      Duration.ofSeconds(Long.getLong("fdt.completion.seconds", 3));

  /** Nobody reads more. */
  private static final int MOST = 1000;

  private static final String DEFAULT_PORT = ":" + FdtClient.DEFAULT_PORT;

  private CompleteRun() {}

  /** The names of tokens. */
  public static int tokens(Operation.CompleteToken complete, CommandContext context) {
    TreeSet<String> names = new TreeSet<>();
    try {
      NamedTokens.ofHome(context.home()).list().stream().map(NamedToken::name).forEach(names::add);
    } catch (FdtException e) {
      return 0; // as for all completions: no candidates
    }
    show(names, complete.word(), context);
    return 0;
  }

  /** The names of servers, and those that were met. */
  public static int servers(Operation.CompleteServer complete, CommandContext context) {
    TreeSet<String> candidates = new TreeSet<>();
    String end = complete.isPath() ? ":/" : "";
    for (ServersFile.Named named : complete.named().values()) {
      candidates.add(named.name() + end);
    }
    try {
      for (Logins.Known known : new Logins(context.home()).all()) {
        String address = known.address();
        if (address.endsWith(DEFAULT_PORT)) {
          String host = address.substring(0, address.length() - DEFAULT_PORT.length());
          candidates.add(host + end);
        } else {
          candidates.add(complete.isPath() ? "fdt://" + address + "/" : address);
        }
      }
    } catch (FdtException e) {
      candidates.clear(); // the file of servers is damaged, which every other command says
    }
    show(candidates, complete.word(), context);
    return 0;
  }

  /** What a directory of a server holds. */
  public static int paths(Operation.CompletePath complete, CommandContext context)
      throws InterruptedException {
    CompletableFuture<List<RemoteFile>> listed = new CompletableFuture<>();
    Thread lister = new Thread(() -> list(complete, context, listed), "fdt-complete");
    lister.setDaemon(true);
    lister.start();
    try {
      TreeSet<String> candidates = new TreeSet<>();
      for (RemoteFile file : listed.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        String name = ByteText.decode(file.name().bytes());
        boolean isUrl = complete.directory().startsWith("fdt://");
        if (!isUrl || name.matches("[A-Za-z0-9._+=@,~-]+")) { // others are percent-encoded
          candidates.add(complete.directory() + name + (file.is(EntryKind.DIRECTORY) ? "/" : ""));
        }
      }
      show(candidates, complete.directory() + complete.start(), context);
    } catch (TimeoutException | ExecutionException e) {
      return 0;
    }
    return 0;
  }

  private static void list(
      Operation.CompletePath complete,
      CommandContext context,
      CompletableFuture<List<RemoteFile>> listed) {
    Operation.Files listing = complete.listing();
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

  /** Whether a terminal and a shell take it for text, and for nothing that does something. */
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
