package io.fdt.compare;

import java.io.IOException;
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

/** Blocking connections of this process to itself, with a thread for each end of a connection. */
final class Loopback {
  private static final int DEADLINE_SECONDS = 300;

  /** The work of a thread at one end of a connection. */
  interface End {
    void run(SocketChannel socket) throws Exception;
  }

  private Loopback() {}

  /**
   * Runs both ends of each connection until all are done.
   *
   * @param socketBuffer bytes of SO_SNDBUF and SO_RCVBUF; 0 leaves them to the kernel
   */
  static void run(int streams, int socketBuffer, End sender, End receiver) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2 * streams);
    List<Future<?>> ends = new ArrayList<>();
    List<SocketChannel> sockets = new ArrayList<>();
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      if (socketBuffer > 0) {
        server.setOption(StandardSocketOptions.SO_RCVBUF, socketBuffer);
      }
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      for (int i = 0; i < streams; i++) {
        SocketChannel out = SocketChannel.open();
        sockets.add(out);
        if (socketBuffer > 0) {
          out.setOption(StandardSocketOptions.SO_SNDBUF, socketBuffer);
        }
        out.connect(server.getLocalAddress());
        SocketChannel in = server.accept();
        sockets.add(in);
        ends.add(threads.submit(() -> run(sender, out)));
        ends.add(threads.submit(() -> run(receiver, in)));
      }
      await(ends, sockets);
    } finally {
      close(sockets);
      threads.shutdownNow();
    }
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

  private static Void run(End end, SocketChannel socket) throws Exception {
    end.run(socket);
    return null;
  }
}
