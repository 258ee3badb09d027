package io.fdt.security;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Somebody between a client and a server who keeps what passes, and may change what a client says
 * first on a connection. Threads of its own.
 */
final class Wire implements AutoCloseable {
  /** Changes the first 16 bytes of a connection of a client. */
  interface Change {
    void apply(byte[] preface);
  }

  private static final int DATA = 2;

  static final Change NONE = preface -> {};

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final InetSocketAddress server;
  private final InetSocketAddress dataServer;
  private final Change change;
  private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
  private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());

  Wire(InetSocketAddress server, Change change) throws IOException {
    this(server, server, change);
  }

  /** One that leads data streams to another server. */
  Wire(InetSocketAddress server, InetSocketAddress dataServer, Change change) throws IOException {
    this.server = server;
    this.dataServer = dataServer;
    this.change = change;
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Whether this text passed in the clear, in either direction. */
  boolean hasSeen(String text) {
    synchronized (seen) {
      return seen.toString(StandardCharsets.ISO_8859_1).contains(text);
    }
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      sockets.add(client);
      start(() -> lead(client));
    }
  }

  private void lead(Socket client) throws IOException {
    byte[] preface = client.getInputStream().readNBytes(16);
    InetSocketAddress there = preface.length == 16 && preface[10] == DATA ? dataServer : server;
    Socket onwards = new Socket(there.getAddress(), there.getPort());
    sockets.add(onwards);
    start(() -> carry(onwards, client));
    change.apply(preface);
    onwards.getOutputStream().write(preface);
    carry(client, onwards);
  }

  private void carry(Socket from, Socket to) throws IOException {
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    byte[] buffer = new byte[1 << 16];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      synchronized (seen) {
        seen.write(buffer, 0, count);
      }
      out.write(buffer, 0, count);
    }
    to.shutdownOutput();
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
            "wire");
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
