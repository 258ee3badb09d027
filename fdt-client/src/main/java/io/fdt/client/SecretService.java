package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The desktop's secret service (GNOME Keyring, KWallet), accessed through the program {@code
 * secret-tool}. Tokens pass through its standard streams, never its command line. Blocks: the
 * desktop may ask the user to unlock it. Any thread.
 */
final class SecretService {
  private static final String PROGRAM = "secret-tool";

  /** Time for a user to type a password. */
  private static final long DEADLINE_SECONDS = 60;

  private final Path home;

  /**
   * @param home of the user's logins; each home has its own tokens
   */
  SecretService(Path home) {
    this.home = home.toAbsolutePath().normalize();
  }

  /** Stores a token, replacing an earlier one. */
  void store(String server, String token) throws FdtException {
    Answer answer = run(List.of("store", "--label=FDT token for " + server), server, token);
    if (answer.status() != 0) {
      throw answer.failure();
    }
  }

  /** The token for a server; empty when there is none. */
  Optional<String> find(String server) throws FdtException {
    Answer answer = run(List.of("lookup"), server, "");
    if (!answer.problems().isEmpty()) {
      throw answer.failure();
    }
    return Optional.of(answer.out().strip()).filter(token -> !token.isEmpty());
  }

  /** Removes the token for a server, if it exists. */
  void remove(String server) throws FdtException {
    Answer answer = run(List.of("clear"), server, "");
    if (!answer.problems().isEmpty()) {
      throw answer.failure();
    }
  }

  /** The program's output; a missing secret gives an exit status without a message. */
  private record Answer(int status, String out, String problems) {
    FdtException failure() {
      String reason = problems.isEmpty() ? "exit status " + status : problems;
      String line = reason.lines().findFirst().orElse("");
      return unavailable(PROGRAM + ": " + line.replaceFirst("^" + PROGRAM + ": ", ""));
    }
  }

  private Answer run(List<String> words, String server, String input) throws FdtException {
    List<String> command = new ArrayList<>(List.of(PROGRAM));
    command.addAll(words);
    command.addAll(List.of("application", "fdt", "home", home.toString(), "server", server));
    Process process;
    try {
      process = new ProcessBuilder(command).start();
    } catch (IOException e) {
      throw unavailable(PROGRAM + " cannot be started; install libsecret-tools");
    }
    try {
      CompletableFuture<String> out =
          CompletableFuture.supplyAsync(() -> text(process.getInputStream()), SecretService::start);
      CompletableFuture<String> problems =
          CompletableFuture.supplyAsync(() -> text(process.getErrorStream()), SecretService::start);
      try (OutputStream stream = process.getOutputStream()) {
        stream.write(input.getBytes(StandardCharsets.US_ASCII));
      } catch (IOException e) {
        // The program has ended, and its error output says why.
      }
      if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        throw unavailable("no answer for " + DEADLINE_SECONDS + " s");
      }
      return new Answer(process.exitValue(), out.join(), problems.join().strip());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(
          ErrorCode.CANCELLED, "waiting for the secret service was interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static void start(Runnable reading) {
    Thread thread = new Thread(reading, "fdt-secret-tool");
    thread.setDaemon(true);
    thread.start();
  }

  private static String text(InputStream stream) {
    try (stream) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return IoReason.of(e);
    }
  }

  private static FdtException unavailable(String reason) {
    return new FdtException(ErrorCode.UNAUTHENTICATED, reason);
  }
}
