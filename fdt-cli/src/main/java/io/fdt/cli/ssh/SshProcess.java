package io.fdt.cli.ssh;

import io.fdt.cli.output.Screen;
import io.fdt.cli.process.Daemon;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A running ssh. ssh itself asks for passwords at the terminal; its standard error goes to the
 * screen, line by line. Any thread.
 */
final class SshProcess implements AutoCloseable {
  /** The exit status of a failure of ssh itself. */
  static final int SSH_FAILED = 255;

  /** The time for the server to end, and again for ssh. */
  private static final Duration FAREWELL = Duration.ofSeconds(2);

  private static final List<String> REFUSALS =
      List.of("Permission denied", "Host key verification failed", "Too many authentication");

  private final Process process;
  private final Screen screen;
  private final Thread errors;
  private volatile boolean refused;

  private SshProcess(Process process, Screen screen) {
    this.process = process;
    this.screen = screen;
    this.errors = new Thread(this::showErrors, "fdt-ssh-errors");
  }

  /**
   * Starts ssh. SIGINT from the terminal does not end ssh: the command ends it after the transfer.
   */
  static SshProcess start(List<String> words, Screen screen) throws IOException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
    command.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(command);
    // Tokens are for this process only; ssh may send variables.
    builder.environment().keySet().removeIf(name -> name.matches("FDT_.*TOKEN"));
    SshProcess ssh = new SshProcess(builder.start(), screen);
    ssh.errors.setDaemon(true);
    ssh.errors.start();
    return ssh;
  }

  InputStream output() {
    return process.getInputStream();
  }

  OutputStream input() {
    return process.getOutputStream();
  }

  private void showErrors() {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try (InputStream in = process.getErrorStream()) {
      for (int c = in.read(); c >= 0; c = in.read()) {
        if (c == '\n') {
          show(line);
        } else {
          line.write(c);
        }
      }
    } catch (IOException e) {
      return; // it has ended
    } finally {
      if (line.size() > 0) {
        show(line);
      }
    }
  }

  private void show(ByteArrayOutputStream line) {
    String text = line.toString(StandardCharsets.UTF_8).stripTrailing();
    line.reset();
    refused |= REFUSALS.stream().anyMatch(text::contains);
    screen.note(text);
  }

  /** Whether the host has refused the user, or its key differs. */
  boolean isRefused() {
    return refused;
  }

  /** Completes with the exit status of ssh. */
  CompletableFuture<Integer> ended() {
    return process.onExit().thenApply(Process::exitValue);
  }

  /** The exit status, after all errors are shown; empty if ssh does not end soon. */
  Optional<Integer> awaitEnd() throws InterruptedException {
    if (!process.waitFor(FAREWELL.toMillis(), TimeUnit.MILLISECONDS)) {
      return Optional.empty();
    }
    errors.join(FAREWELL.toMillis());
    return Optional.of(process.exitValue());
  }

  /** Kills ssh. */
  void kill() {
    process.destroy();
  }

  /** Closes the input, which ends the server. A writer may hold the stream for a while. */
  void endInput() {
    Daemon.start(
        "fdt-ssh-close",
        () -> {
          try {
            process.getOutputStream().close();
          } catch (IOException e) {
            return; // it has ended
          }
        });
  }

  /** Closes its input, and waits for its end. Idempotent. */
  @Override
  public void close() {
    endInput();
    try {
      if (awaitEnd().isEmpty()) {
        process.destroy();
        if (awaitEnd().isEmpty()) {
          process.destroyForcibly();
        }
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
