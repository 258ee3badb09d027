package io.fdt.cli.ssh;

import io.fdt.cli.process.Daemon;
import io.fdt.cli.process.HostAddresses;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.model.BytePath;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import io.fdt.server.FdtServerBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * The other end of a {@link SshServer}: a server with the rights of this user on all files of this
 * host, for the reader of its standard output, until standard input ends. Its key and its token are
 * in memory only.
 *
 * @param mark begins each line
 * @param port to listen on; empty for any free one
 * @param loopbackOnly whether only this host may connect
 */
public record SshServerMain(String mark, OptionalInt port, boolean loopbackOnly) {
  /** The exit status if the client needs another version. */
  public static final int DOES_NOT_FIT = 75;

  /** A longer silence means a lost host, because pings are sent every 10 s. */
  private static final Duration SILENCE = Duration.ofMinutes(3);

  private static final Duration CLOSING = Duration.ofMillis(700);

  private static final int MAX_LINE_BYTES = 1 << 24;

  /** All addresses: a user of this host can connect to any address anyway. */
  private static final List<String> ANYWHERE = List.of("0.0.0.0/0", "::/0");

  /** Whether this program can serve a client of another version. */
  public static boolean fits(String near) {
    try {
      return SshVersion.own().fits(SshVersion.parse(near));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Prints that this program reads standard input; without --fits, the script does. */
  public void greet(OutputStream out) throws FdtException {
    print(out, "start");
  }

  /** Serves until standard input ends; the result is an exit status. */
  public int run(InputStream in, OutputStream out) throws FdtException {
    try {
      serve(in, out);
      return 0;
    } catch (FdtException e) {
      print(out, "fail port " + e.getMessage().replace('\n', ' '));
      return e.code().exitStatus();
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE, "the SSH connection broke: " + IoReason.of(e), e);
    }
  }

  private void serve(InputStream in, OutputStream out) throws IOException, FdtException {
    FdtServerBuilder builder =
        FdtServer.builder()
            .port(port.orElse(0))
            .trustOwnProcess(false)
            .allowPrivileged(true)
            .allowSharedExports(true)
            .dialTo(ANYWHERE)
            .export(new Export(null, BytePath.of("/"), Export.Access.READ_WRITE));
    if (loopbackOnly) {
      builder.bind(InetAddress.getLoopbackAddress().getHostAddress());
    }
    FdtServer server = builder.build();
    try {
      Mux mux = new Mux(in, out, listen(server, in, out));
      watch(mux);
      mux.run();
    } finally {
      close(server);
    }
  }

  /** Starts the server and prints the greeting; the result connects channels to it. */
  private Consumer<MuxChannel> listen(FdtServer server, InputStream in, OutputStream out)
      throws IOException, FdtException {
    CompletableFuture<Void> started = CompletableFuture.runAsync(() -> start(server));
    List<BytePath> wanted = SshGreeting.decodeAll(line(in));
    try {
      SshPaths resolver = SshPaths.ofProcess();
      List<BytePath> paths = new ArrayList<>();
      for (BytePath path : wanted) {
        paths.add(resolver.resolve(path));
      }
      started.join();
      SshGreeting hello =
          new SshGreeting(
              server.address().getPort(),
              loopbackOnly ? List.of() : HostAddresses.all(),
              server.fingerprint(),
              server.localToken(),
              paths);
      print(out, "hello " + hello.encode());
    } catch (CompletionException e) {
      throw cause(e);
    }
    int serverPort = server.address().getPort();
    return channel -> connect(channel, serverPort);
  }

  /** Waits at most CLOSING; the exit of the process does the rest. */
  private static void close(FdtServer server) {
    Thread closer = new Thread(server::close, "fdt-ssh-close");
    closer.setDaemon(true);
    closer.start();
    try {
      closer.join(CLOSING.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void start(FdtServer server) {
    try {
      server.start();
    } catch (FdtException e) {
      throw new CompletionException(e);
    }
  }

  private static FdtException cause(CompletionException thrown) {
    return thrown.getCause() instanceof FdtException known
        ? known
        : new FdtException(ErrorCode.INTERNAL, String.valueOf(thrown.getCause()), thrown);
  }

  /** Connects a channel to the server. */
  private static void connect(MuxChannel channel, int port) {
    Thread thread =
        new Thread(
            () -> {
              try {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
                MuxJoint.start(socket, channel);
              } catch (IOException e) {
                channel.reset();
              }
            },
            "fdt-tunnel-connect");
    thread.setDaemon(true);
    thread.start();
  }

  /** Ends the process after a long silence. */
  private static void watch(Mux mux) {
    Daemon.start(
        "fdt-ssh-watch",
        () -> {
          try {
            while (System.nanoTime() - mux.heardNanos() < SILENCE.toNanos()) {
              Thread.sleep(SILENCE.toMillis() / 10);
            }
            Runtime.getRuntime().halt(ErrorCode.TIMEOUT.exitStatus());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** Reads one line byte by byte, and nothing after it. */
  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0 || line.length() > MAX_LINE_BYTES) {
        throw new IOException("standard input has no line of paths");
      }
      line.append((char) c);
    }
    return line.toString();
  }

  private void print(OutputStream out, String text) throws FdtException {
    try {
      out.write(("\n" + mark + " " + text + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException e) {
      throw new FdtException(ErrorCode.UNREACHABLE, "standard output cannot be written", e);
    }
  }
}
