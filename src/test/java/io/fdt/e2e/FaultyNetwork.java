package io.fdt.e2e;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What lies between clients and one server, and fails as a test wants it to: it passes on every
 * byte of every connection, but for what the {@link Plan} of the test does to them.
 *
 * <p>Each connection has two threads of its own. Any thread.
 */
public final class FaultyNetwork implements AutoCloseable {
  /** What a client says first; one byte of it tells what the connection is for. */
  private static final int PREFACE_LENGTH = 16;

  private static final int KIND_AT = 10;
  private static final int DATA = 2;
  private static final int CHUNK = 64 << 10;

  /** Decides what happens to each connection. */
  public interface Plan {
    /**
     * What happens on a connection that a client has just made.
     *
     * @param data whether it is a data stream; otherwise it is for control
     * @param number of this kind, from 0 on
     * @return null to reset it at once
     */
    Fault of(boolean data, int number);
  }

  /** What happens on one connection; called by the two threads of it. */
  public interface Fault {
    Fault NONE = (bytes, count, offset, toClient) -> true;

    /**
     * Bytes are about to be passed on; they may be changed, or held up.
     *
     * @param offset of the first of them in their direction of the connection
     * @return false to reset the connection instead
     */
    boolean passes(byte[] bytes, int count, long offset, boolean toClient)
        throws InterruptedException;
  }

  /**
   * Data passes until so many bytes of it have, in both directions and on all connections together;
   * then it waits for {@link #open}, so that a test finds the middle of a transfer for certain.
   */
  public static final class Gate implements Plan {
    private final long most;
    private final AtomicLong passed = new AtomicLong();
    private final CountDownLatch isOpen = new CountDownLatch(1);

    public Gate(long most) {
      this.most = most;
    }

    @Override
    public Fault of(boolean data, int number) {
      return data ? this::passes : Fault.NONE;
    }

    private boolean passes(byte[] bytes, int count, long offset, boolean toClient)
        throws InterruptedException {
      if (passed.addAndGet(count) > most) {
        isOpen.await();
      }
      return true;
    }

    /** Whether data waits, or has waited. */
    public boolean hasHeld() {
      return passed.get() > most;
    }

    public void awaitHold() {
      await("data that waits").atMost(RunningCommand.DEADLINE).until(this::hasHeld);
    }

    public void open() {
      isOpen.countDown();
    }
  }

  /** One client's connection, and the one that carries on from it. */
  private final class Connection {
    private final Socket client;
    private final boolean data;
    private final AtomicLong bytes = new AtomicLong();
    private Socket server;

    Connection(Socket client, boolean data) {
      this.client = client;
      this.data = data;
    }

    void run(Fault fault, byte[] preface) throws IOException {
      synchronized (this) {
        server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
      }
      server.getOutputStream().write(preface);
      Thread back = start("faulty-back", () -> pump(server, client, fault, true, 0));
      pump(client, server, fault, false, PREFACE_LENGTH);
      try {
        back.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      reset(); // both directions have ended
    }

    private void pump(Socket from, Socket to, Fault fault, boolean toClient, long start) {
      byte[] chunk = new byte[CHUNK];
      long offset = start;
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
          if (!fault.passes(chunk, count, offset, toClient)) {
            reset();
            return;
          }
          out.write(chunk, 0, count);
          offset += count;
          bytes.addAndGet(count);
        }
        to.shutdownOutput();
      } catch (IOException e) {
        reset(); // one end has gone, so the other one hears of it
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    synchronized void reset() {
      resetSocket(client);
      if (server != null) {
        resetSocket(server);
      }
    }
  }

  private final ServerSocket listener;
  private final int serverPort;
  private final Plan plan;
  private final AtomicInteger controlConnections = new AtomicInteger();
  private final AtomicInteger dataConnections = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final List<Connection> connections = new CopyOnWriteArrayList<>();

  public FaultyNetwork(int serverPort, Plan plan) {
    this(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), serverPort, plan);
  }

  /** One whose clients find it elsewhere. */
  public FaultyNetwork(InetSocketAddress address, int serverPort, Plan plan) {
    this.serverPort = serverPort;
    this.plan = plan;
    try {
      listener = new ServerSocket(address.getPort(), 100, address.getAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start("faulty-accept", this::accept);
  }

  /** Where clients find it. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Data connections that were passed on, dead ones included. */
  public int dataConnections() {
    return dataStreams().size();
  }

  /** Control connections that there were. */
  public int controlConnections() {
    return controlConnections.get();
  }

  /** Data streams that were reset at once. */
  public int refused() {
    return refused.get();
  }

  /** Resets all data streams but the first, and returns the bytes that this one has carried. */
  public long resetAllButOneStream() {
    List<Connection> streams = dataStreams();
    streams.stream().skip(1).forEach(Connection::reset);
    return streams.get(0).bytes.get();
  }

  /** Resets every connection that there is. */
  public void resetAll() {
    connections.forEach(Connection::reset);
  }

  /** Resets the control connections. */
  public void resetControl() {
    connections.stream().filter(connection -> !connection.data).forEach(Connection::reset);
  }

  /** Resets the data stream that came last. */
  public void resetLastStream() {
    List<Connection> streams = dataStreams();
    streams.get(streams.size() - 1).reset();
  }

  private List<Connection> dataStreams() {
    return connections.stream().filter(connection -> connection.data).toList();
  }

  /** Bytes that the first data stream has carried, in both directions. */
  public long bytesOfFirstStream() {
    return dataStreams().get(0).bytes.get();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        start("faulty-connection", () -> meet(client));
      } catch (IOException e) {
        return; // closed: the test is over
      }
    }
  }

  private void meet(Socket client) {
    try {
      byte[] preface = client.getInputStream().readNBytes(PREFACE_LENGTH);
      if (preface.length < PREFACE_LENGTH) {
        client.close();
        return;
      }
      boolean data = preface[KIND_AT] == DATA;
      Fault fault = plan.of(data, (data ? dataConnections : controlConnections).getAndIncrement());
      if (fault == null) {
        refused.incrementAndGet();
        resetSocket(client);
        return;
      }
      Connection connection = new Connection(client, data);
      connections.add(connection);
      connection.run(fault, preface);
    } catch (IOException e) {
      resetSocket(client);
    }
  }

  /** The other end is told that the connection has broken, not that it has ended. */
  private static void resetSocket(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      return; // it is closed already
    }
  }

  private static Thread start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    resetAll();
  }
}
