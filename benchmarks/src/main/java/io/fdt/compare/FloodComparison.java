package io.fdt.compare;

import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * The cost of a flood of connections for a transfer: pairs of runs with and without 2,000
 * connections that stay silent, or stop within their handshake. Connections that the server closes
 * are reopened, 200 a second: a server with room for 2,000 closes each after 10 s. Each pair gives
 * a ratio of rates; 1 means no cost.
 */
public final class FloodComparison {
  private static final int CONNECTIONS = 2000;
  private static final int AGAIN_PER_SECOND = 200;
  private static final byte[] CONTROL_PREFACE = {
    (byte) 0x89, 'F', 'D', 'T', '\r', '\n', 0x1a, '\n', 0, 1, 1, 0, 0, 0, 0, 0
  };

  private FloodComparison() {}

  /** Arguments: pairs (default 5), seconds per run (default 5). */
  public static void main(String[] arguments) throws Exception {
    int pairs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
    int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
    Duration duration = Duration.ofSeconds(seconds);
    PrintStream out = System.out;
    Path empty = Files.createTempDirectory("fdt-flood");
    try (FdtServer server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readOnly("empty", empty))
            .build()) {
      server.start();
      TransferRate.measure(server, false, duration); // the compilers' time
      double[] ratios = new double[pairs];
      for (int pair = 0; pair < pairs; pair++) {
        boolean quietFirst = pair % 2 == 0;
        double first = rate(server, !quietFirst, duration);
        double second = rate(server, quietFirst, duration);
        double quiet = quietFirst ? first : second;
        double flooded = quietFirst ? second : first;
        ratios[pair] = flooded / quiet;
        out.println(
            String.format(
                Locale.ROOT,
                "pair %d: quiet %.0f MB/s, flooded %.0f MB/s, ratio %.3f",
                pair + 1,
                quiet / 1e6,
                flooded / 1e6,
                ratios[pair]));
      }
      Arrays.sort(ratios);
      out.println(
          String.format(
              Locale.ROOT,
              "median ratio %.3f (least %.3f), goal at least 0.9",
              ratios[pairs / 2],
              ratios[0]));
    } finally {
      Files.delete(empty);
    }
  }

  private static double rate(FdtServer server, boolean flooded, Duration duration)
      throws Exception {
    if (!flooded) {
      return TransferRate.measure(server, false, duration);
    }
    try (Flood flood = new Flood(server.address())) {
      flood.start();
      return TransferRate.measure(server, false, duration);
    }
  }

  /** Opens the connections, on its own thread. */
  private static final class Flood implements AutoCloseable {
    private final InetSocketAddress server;
    private final List<SocketChannel> channels = new ArrayList<>();
    private final Thread thread = new Thread(this::keepUp, "flood");
    private volatile boolean stopped;

    Flood(InetSocketAddress server) {
      this.server = server;
      thread.setDaemon(true);
    }

    void start() throws IOException {
      for (int i = 0; i < CONNECTIONS; i++) {
        channels.add(open(i));
      }
      thread.start();
    }

    private SocketChannel open(int number) throws IOException {
      SocketChannel channel = SocketChannel.open(server);
      if (number % 2 == 0) {
        channel.write(ByteBuffer.wrap(CONTROL_PREFACE));
      }
      channel.configureBlocking(false);
      return channel;
    }

    private void keepUp() {
      ByteBuffer rest = ByteBuffer.allocate(64);
      for (int i = 0; !stopped; i = (i + 1) % CONNECTIONS) {
        LockSupport.parkNanos(1_000_000_000L / AGAIN_PER_SECOND);
        try {
          if (isClosed(channels.get(i), rest)) {
            channels.get(i).close();
            channels.set(i, open(i));
          }
        } catch (IOException e) {
          return; // the server has gone
        }
      }
    }

    private static boolean isClosed(SocketChannel channel, ByteBuffer rest) {
      try {
        int read;
        do {
          rest.clear();
          read = channel.read(rest);
        } while (read > 0);
        return read < 0;
      } catch (IOException e) {
        return true;
      }
    }

    @Override
    public void close() throws IOException {
      stopped = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      for (SocketChannel channel : channels) {
        channel.close();
      }
    }
  }
}
