package io.fdt.cli.ssh;

import io.fdt.cli.option.route.SshHost;
import io.fdt.cli.option.route.SshSettings;
import io.fdt.cli.output.Screen;
import io.fdt.cli.process.Daemon;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.model.BytePath;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server that SSH has started on another host for this process: it ends with the SSH connection.
 *
 * <pre>
 *   connect: ssh logs in, the shell runs our script                          "shell"
 *   start:   the script needs the jar, or not                                 "send"
 *            Java starts, and gets the paths                                  "start"
 *            the server listens                                               "hello ..."
 *            from here on the pipes belong to a {@link Mux}
 * </pre>
 *
 * <p>Confined to one thread, but for {@link #lost} and {@link #kill}.
 */
final class SshServer implements AutoCloseable {
  /** More than the 120 s in which an OpenSSH server expects a login. */
  private static final Duration LOGIN = Duration.ofSeconds(150);

  /** Enough for Java on a busy host with a slow network home. */
  private static final Duration START = Duration.ofSeconds(90);

  /** Enough for the jar, 12 MB, over a slow line. */
  private static final Duration SENDING = Duration.ofMinutes(30);

  private static final Duration WATCH_PERIOD = Duration.ofMillis(200);
  private static final Duration PING_PERIOD = Duration.ofSeconds(10);

  private static final int NOT_EXECUTABLE = 126;
  private static final int NO_SUCH_COMMAND = 127;

  private static final int MAX_LINE_BYTES = 1 << 20;
  private static final int MAX_NOISE_BYTES = 1 << 20;
  private static final int SHOWN_NOISE_CHARACTERS = 200;

  private final SshHost host;
  private final SshSettings settings;
  private final String mark = SshScript.newMark();
  private final SshProcess ssh;
  private final InputStream in;
  private final CompletableFuture<FdtException> lost = new CompletableFuture<>();
  private final StringBuilder noise = new StringBuilder();
  private int noiseBytes;
  private volatile boolean closing;
  private volatile long deadlineNanos;
  private volatile boolean late;
  private volatile Mux mux;
  private Optional<OwnJar> jar = Optional.empty();

  private SshServer(SshHost host, SshSettings settings, SshProcess ssh) {
    this.host = host;
    this.settings = settings;
    this.ssh = ssh;
    this.in = new BufferedInputStream(ssh.output(), MuxFrame.MAX_PAYLOAD_BYTES);
  }

  /** Starts ssh; does not wait. */
  static SshServer open(SshHost host, SshSettings settings, Screen screen) throws FdtException {
    try {
      SshProcess ssh = SshProcess.start(settings.run(host, SshScript.COMMAND), screen);
      return new SshServer(host, settings, ssh);
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE, "cannot start ssh to " + host + ": " + IoReason.of(e), e);
    }
  }

  SshHost host() {
    return host;
  }

  /**
   * Waits until the host runs the script. ssh may ask for a password.
   *
   * @param ownJar for a host that has none
   */
  void connect(Optional<OwnJar> ownJar) throws FdtException, InterruptedException {
    allow(LOGIN);
    Daemon.start("fdt-ssh-watch", this::watch);
    jar = ownJar;
    send(SshScript.text(mark, jar, settings));
    String word = nextWord("the host");
    if (!word.equals("shell")) {
      throw unexpected(word);
    }
    allow(START);
  }

  /**
   * Waits until the server listens.
   *
   * @param paths to be resolved there; relative ones are in the home of the user
   */
  SshGreeting start(List<BytePath> paths) throws FdtException, InterruptedException {
    while (true) {
      String line = nextWord("FDT there");
      String word = line.contains(" ") ? line.substring(0, line.indexOf(' ')) : line;
      String rest = line.substring(word.length()).strip();
      switch (word) {
        case "send" -> sendJar();
        case "start" ->
            send((SshGreeting.encodeAll(paths) + "\n").getBytes(StandardCharsets.US_ASCII));
        case "hello" -> {
          return begin(rest);
        }
        case "fail" -> throw failure(rest);
        default -> throw unexpected(line);
      }
    }
  }

  private SshGreeting begin(String line) throws FdtException {
    SshGreeting hello;
    try {
      hello = SshGreeting.decode(line);
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, host + ": " + e.getMessage(), e);
    }
    mux = new Mux(in, ssh.input(), MuxChannel::reset);
    Daemon.start("fdt-ssh-mux", this::runMux);
    return hello;
  }

  private void runMux() {
    String reason = "";
    try {
      mux.run();
    } catch (IOException e) {
      reason = ": " + e.getMessage();
    }
    if (!closing) {
      lose(reason);
    }
  }

  private void lose(String reason) {
    String status;
    try {
      ssh.endInput();
      status = ssh.awaitEnd().map(code -> ", ssh ended with status " + code).orElse("");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      status = "";
    }
    lost.complete(
        new FdtException(
            ErrorCode.UNREACHABLE,
            ("the SSH connection to %s was lost%s%s; the same command goes on where this one "
                    + "stopped")
                .formatted(host, status, reason)));
  }

  /** Completes when the connection is lost before {@link #close}. */
  CompletableFuture<FdtException> lost() {
    return lost;
  }

  /** The mux for connections through SSH to the server, once it listens. */
  Mux mux() {
    return mux;
  }

  private void sendJar() throws FdtException, InterruptedException {
    if (jar.isEmpty()) {
      throw unexpected("send");
    }
    allow(SENDING);
    try {
      OutputStream out = ssh.input();
      Files.copy(jar.get().file(), out);
      out.flush();
    } catch (IOException e) {
      // The script has ended, and has printed the reason.
      return;
    } finally {
      allow(START);
    }
  }

  private void send(byte[] bytes) {
    try {
      ssh.input().write(bytes);
      ssh.input().flush();
    } catch (IOException e) {
      return; // it has ended, and has printed why
    }
  }

  /** The next line with the mark, without it. */
  private String nextWord(String who) throws FdtException, InterruptedException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      for (int c = in.read(); c >= 0; c = in.read()) {
        if (c != '\n') {
          bytes.write(c);
        } else {
          String line = bytes.toString(StandardCharsets.UTF_8).stripTrailing();
          bytes.reset();
          int begin = line.indexOf(mark + " ");
          if (begin >= 0) {
            return line.substring(begin + mark.length() + 1);
          }
          if (line.equals(SshScript.fits())) {
            throw new FdtException(
                ErrorCode.FORBIDDEN,
                host
                    + " echoes the script in place of running it; check the login shell"
                    + " there");
          }
          addNoise(line);
        }
        if (bytes.size() > MAX_LINE_BYTES || noiseBytes > MAX_NOISE_BYTES) {
          throw new FdtException(ErrorCode.PROTOCOL, host + " prints without end: " + noise());
        }
      }
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      // The server has ended.
    }
    addNoise(bytes.toString(StandardCharsets.UTF_8));
    throw ended(who);
  }

  private void addNoise(String line) {
    noiseBytes += line.length() + 1;
    if (!line.isBlank() && noise.length() < SHOWN_NOISE_CHARACTERS) {
      noise.append(noise.isEmpty() ? "" : " / ").append(line.strip());
    }
  }

  private String noise() {
    return "it printed '"
        + noise.substring(0, Math.min(noise.length(), SHOWN_NOISE_CHARACTERS))
        + "'";
  }

  private FdtException ended(String who) throws InterruptedException {
    if (late) {
      return new FdtException(
          ErrorCode.TIMEOUT, host + ": " + who + " did not answer in time" + printed());
    }
    int status = ssh.awaitEnd().orElse(-1);
    if (status == SshProcess.SSH_FAILED) {
      return ssh.isRefused()
          ? new FdtException(
              ErrorCode.FORBIDDEN, "ssh to " + host + " was refused; try: ssh " + host)
          : new FdtException(ErrorCode.UNREACHABLE, "ssh to " + host + " failed");
    }
    if (status == NO_SUCH_COMMAND || status == NOT_EXECUTABLE) {
      return new FdtException(
          ErrorCode.UNREACHABLE,
          "cannot run '%s' here, or sh on %s%s"
              .formatted(settings.run(host, "").get(0), host, printed()));
    }
    if (who.equals("the host")) {
      return new FdtException(
          ErrorCode.FORBIDDEN,
          "%s did not run the command of SSH (exit status %d)%s; a forced command must run"
                  .formatted(host, status, printed())
              + " $SSH_ORIGINAL_COMMAND");
    }
    return new FdtException(
        ErrorCode.UNREACHABLE,
        "FDT on %s ended before it was ready (exit status %d)%s"
            .formatted(host, status, printed()));
  }

  private String printed() {
    return noise.isEmpty() ? "" : "; " + noise();
  }

  private FdtException unexpected(String line) {
    return new FdtException(ErrorCode.PROTOCOL, host + ": unexpected answer '" + line + "'");
  }

  /** Converts a failure of the script or the server, which has a kind and a text. */
  private FdtException failure(String line) {
    String kind = line.contains(" ") ? line.substring(0, line.indexOf(' ')) : line;
    String text = host + ": " + line.substring(kind.length()).strip();
    ErrorCode code =
        switch (kind) {
          case "cache" -> ErrorCode.PERMISSION;
          case "full" -> ErrorCode.STORAGE_FULL;
          case "port", "path" -> ErrorCode.UNREACHABLE;
          default -> ErrorCode.NOT_FDT;
        };
    return new FdtException(code, text);
  }

  private void allow(Duration time) {
    deadlineNanos = System.nanoTime() + time.toNanos();
  }

  /** Ends ssh after the deadline; once the server runs, sends pings. */
  private void watch() {
    try {
      while (!ssh.ended().isDone()) {
        boolean isReady = mux != null;
        Duration period = isReady ? PING_PERIOD : WATCH_PERIOD;
        if (isReady) {
          mux.ping();
        } else if (System.nanoTime() - deadlineNanos > 0) {
          late = true;
          ssh.kill();
          return;
        }
        awaitEnd(period);
      }
    } catch (IOException e) {
      return; // it has ended
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitEnd(Duration period) throws InterruptedException {
    try {
      ssh.ended().get(period.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return; // it runs
    }
  }

  /** Ends ssh at once, and with it the server. Any thread. */
  void kill() {
    closing = true;
    ssh.kill();
  }

  /** Ends the input of the server; does not wait. */
  void endInput() {
    closing = true;
    ssh.endInput();
  }

  /** Ends the server, and waits for its end. Idempotent. */
  @Override
  public void close() {
    closing = true;
    ssh.close();
  }
}
