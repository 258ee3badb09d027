package io.fdt.compare;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Stands between clients and a server of this machine, and counts in each millisecond the bytes
 * that come in one direction. Threads of its own.
 */
final class CountingRelay implements AutoCloseable {
  private static final int MOST_MILLIS = 600_000;

  /**
   * Milliseconds that are ignored at both ends, while connections are set up and the last blocks
   * leave.
   */
  private static final int EDGE_MILLIS = 1000;

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());
  private final AtomicLongArray bytes = new AtomicLongArray(MOST_MILLIS);
  private final long startNanos = System.nanoTime();
  private final int server;
  private final boolean countsAnswers;

  /**
   * @param countsAnswers whether to count bytes from the server rather than bytes from clients
   */
  CountingRelay(int server, boolean countsAnswers) throws IOException {
    this.server = server;
    this.countsAnswers = countsAnswers;
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      Socket onwards = new Socket(InetAddress.getLoopbackAddress(), server);
      client.setTcpNoDelay(true);
      onwards.setTcpNoDelay(true);
      sockets.add(client);
      sockets.add(onwards);
      start(() -> carry(client, onwards, !countsAnswers));
      start(() -> carry(onwards, client, countsAnswers));
    }
  }

  private void carry(Socket from, Socket to, boolean counts) throws IOException {
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    byte[] buffer = new byte[1 << 18];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      if (counts) {
        bytes.addAndGet((int) ((System.nanoTime() - startNanos) / 1_000_000), count);
      }
      out.write(buffer, 0, count);
    }
    to.shutdownOutput();
  }

  /** The fewest bytes of any window. */
  double least(double seconds) {
    return extreme(seconds, false);
  }

  /** The most bytes of any window. */
  double most(double seconds) {
    return extreme(seconds, true);
  }

  private double extreme(double seconds, boolean most) {
    int first = 0;
    while (bytes.get(first) < 10_000) { // the first data
      first++;
    }
    int last = MOST_MILLIS - 1;
    while (bytes.get(last) < 1000) {
      last--;
    }
    int window = (int) Math.round(seconds * 1000);
    int begin = first + EDGE_MILLIS;
    int end = last - EDGE_MILLIS;
    long sum = 0;
    long found = -1;
    for (int i = begin; i < end; i++) {
      sum += bytes.get(i);
      if (i - begin >= window) {
        sum -= bytes.get(i - window);
      }
      if (i - begin >= window - 1 && (found < 0 || (most ? sum > found : sum < found))) {
        found = sum;
      }
    }
    return found;
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                return; // one of the two has closed
              }
            },
            "relay");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : List.copyOf(sockets)) {
      socket.close();
    }
  }
}
