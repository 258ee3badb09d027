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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What lies between clients and one server, and is far: every byte of either direction arrives as
 * much later, and in order. To connect takes no time; there is as much room as there are bytes.
 *
 * <p>It counts round trips, and not by the clock: what an end says can answer what has arrived
 * there before, on any connection, and what a server says is one round trip further than that.
 *
 * <p>Each direction of a connection has two threads of its own. Any thread.
 */
public final class DelayedNetwork implements AutoCloseable {
  /**
   * What arrives at one moment.
   *
   * @param bytes empty for the end of the direction
   * @param trips how many round trips it took until this was said
   */
  private record Arrival(byte[] bytes, long atNanos, int trips) implements Delayed {
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
  private final AtomicInteger tripsAtClients = new AtomicInteger();
  private final AtomicInteger tripsAtServer = new AtomicInteger();

  /**
   * @param roundTrip there and back
   */
  public DelayedNetwork(int serverPort, Duration roundTrip) {
    this.serverPort = serverPort;
    this.delayNanos = roundTrip.toNanos() / 2;
    try {
      listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** How many round trips what has arrived at clients took. */
  public int roundTrips() {
    return tripsAtClients.get();
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
        carry(client, server, tripsAtClients, 0, tripsAtServer);
        carry(server, client, tripsAtServer, 1, tripsAtClients);
      }
    } catch (IOException e) {
      close();
    }
  }

  private void carry(
      Socket from, Socket to, AtomicInteger tripsThere, int more, AtomicInteger tripsHere) {
    BlockingQueue<Arrival> way = new DelayQueue<>();
    start(() -> read(from, way, tripsThere, more));
    start(() -> write(way, to, tripsHere));
  }

  private void read(Socket from, BlockingQueue<Arrival> way, AtomicInteger tripsThere, int more) {
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
      byte[] bytes = Arrays.copyOf(chunk, Math.max(0, count));
      way.add(new Arrival(bytes, last, tripsThere.get() + more));
    } while (count >= 0);
  }

  private static void write(BlockingQueue<Arrival> way, Socket to, AtomicInteger tripsHere) {
    try {
      OutputStream out = to.getOutputStream();
      for (Arrival next = way.take(); next.bytes().length > 0; next = way.take()) {
        tripsHere.accumulateAndGet(next.trips(), Math::max);
        out.write(next.bytes());
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
