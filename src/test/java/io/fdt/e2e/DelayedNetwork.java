package io.fdt.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * What lies between clients and one server, and is far: every byte of either direction arrives as
 * much later, and in order. To connect takes no time; there is as much room as there are bytes.
 *
 * <p>Each direction of a connection has two threads of its own. Any thread.
 */
final class DelayedNetwork implements AutoCloseable {
  /**
   * What arrives at one moment.
   *
   * @param bytes empty for the end of the direction
   */
  private record Arrival(byte[] bytes, long atNanos) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(atNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(atNanos, ((Arrival) other).atNanos);
    }
  }

  private final ServerSocket listener;
  private final int serverPort;
  private final long delayNanos;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /**
   * @param roundTrip there and back
   */
  DelayedNetwork(int serverPort, Duration roundTrip) {
    this.serverPort = serverPort;
    this.delayNanos = roundTrip.toNanos() / 2;
    try {
      listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "delayed-network");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        for (Socket socket : List.of(client, server)) {
          socket.setTcpNoDelay(true);
          sockets.add(socket);
        }
        carry(client, server);
        carry(server, client);
      }
    } catch (IOException e) {
      close();
    }
  }

  private void carry(Socket from, Socket to) {
    BlockingQueue<Arrival> way = new DelayQueue<>();
    start(() -> read(from, way));
    start(() -> write(way, to));
  }

  private void read(Socket from, BlockingQueue<Arrival> way) {
    byte[] chunk = new byte[64 << 10];
    long last = Long.MIN_VALUE;
    int count;
    do {
      try {
        InputStream in = from.getInputStream();
        count = in.read(chunk);
      } catch (IOException e) {
        count = -1; // a reset arrives as an end
      }
      last = Math.max(last + 1, System.nanoTime() + delayNanos); // keeps the order
      way.add(new Arrival(Arrays.copyOf(chunk, Math.max(0, count)), last));
    } while (count >= 0);
  }

  private static void write(BlockingQueue<Arrival> way, Socket to) {
    try {
      OutputStream out = to.getOutputStream();
      for (byte[] bytes = way.take().bytes(); bytes.length > 0; bytes = way.take().bytes()) {
        out.write(bytes);
      }
      to.shutdownOutput();
    } catch (IOException e) {
      // It is gone: what is still on its way gets lost.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
