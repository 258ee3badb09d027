package io.fdt.compare;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.DoubleAdder;

/**
 * Blocking connections of this process to itself, with a thread for each end of a connection: over
 * loopback, or over a {@link VethPair}.
 */
final class Loopback {
  private static final int DEADLINE_SECONDS = 300;

  /** The work of a thread at one end of a connection. */
  interface End {
    void run(SocketChannel socket) throws Exception;
  }

  private Loopback() {}

  /** Runs both ends of each connection over loopback until all are done. */
  static Mover.Ends run(int streams, int socketBuffer, End sender, End receiver) throws Exception {
    InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return run(ServerSocketChannel.open(), here, streams, socketBuffer, sender, receiver);
  }

  /**
   * Runs both ends of each connection until all are done.
   *
   * @param listening a new socket of the receiver's host, which is closed
   * @param at its address, with any port
   * @param socketBuffer bytes of SO_SNDBUF and SO_RCVBUF; 0 leaves them to the kernel
   */
  static Mover.Ends run(
      ServerSocketChannel listening,
      InetSocketAddress at,
      int streams,
      int socketBuffer,
      End sender,
      End receiver)
      throws Exception {
    DoubleAdder sending = new DoubleAdder();
    DoubleAdder receiving = new DoubleAdder();
    ExecutorService threads = Executors.newFixedThreadPool(2 * streams);
    List<Future<?>> ends = new ArrayList<>();
    List<SocketChannel> sockets = new ArrayList<>();
    try (ServerSocketChannel server = listening) {
      if (socketBuffer > 0) {
        server.setOption(StandardSocketOptions.SO_RCVBUF, socketBuffer);
      }
      server.bind(at);
      for (int i = 0; i < streams; i++) {
        SocketChannel out = SocketChannel.open();
        sockets.add(out);
        if (socketBuffer > 0) {
          out.setOption(StandardSocketOptions.SO_SNDBUF, socketBuffer);
        }
        out.connect(server.getLocalAddress());
        SocketChannel in = server.accept();
        sockets.add(in);
        ends.add(threads.submit(() -> run(sender, out, sending)));
        ends.add(threads.submit(() -> run(receiver, in, receiving)));
      }
      await(ends, sockets);
    } finally {
      close(sockets);
      threads.shutdownNow();
    }
    return new Mover.Ends(sending.sum(), receiving.sum());
  }

  /** A failed end blocks its peer: closes all sockets, so that all ends fail. */
  private static void await(List<Future<?>> ends, List<SocketChannel> sockets) throws Exception {
    ExecutionException failure = null;
    for (Future<?> end : ends) {
      try {
        end.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (failure == null) {
          failure = e;
          close(sockets);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static void close(List<SocketChannel> sockets) throws IOException {
    for (SocketChannel socket : sockets) {
      socket.close();
    }
  }

  private static Void run(End end, SocketChannel socket, DoubleAdder cpuSeconds) throws Exception {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    end.run(socket);
    cpuSeconds.add((threads.getCurrentThreadCpuTime() - before) / 1e9);
    return null;
  }
}
