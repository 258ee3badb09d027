package io.fdt.cli.ssh;

import io.fdt.cli.process.Daemon;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The local end of a tunnel: a port of this host for connections through a {@link Mux} to the
 * server at its other end. That server still authenticates its clients, and they check its key.
 */
final class Tunnel implements AutoCloseable {
  private final Mux mux;
  private final ServerSocket listener;

  private Tunnel(Mux mux, ServerSocket listener) {
    this.mux = mux;
    this.listener = listener;
  }

  /** Listens on a free port of the loopback interface. */
  static Tunnel open(Mux mux) throws IOException {
    ServerSocket listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
    Tunnel tunnel = new Tunnel(mux, listener);
    Daemon.start("fdt-tunnel", tunnel::accept);
    return tunnel;
  }

  int port() {
    return listener.getLocalPort();
  }

  String host() {
    return listener.getInetAddress().getHostAddress();
  }

  private void accept() {
    try {
      while (true) {
        join(listener.accept());
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private void join(Socket socket) throws IOException {
    try {
      socket.setTcpNoDelay(true);
      MuxJoint.start(socket, mux.open());
    } catch (IOException e) {
      socket.close();
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      return; // closed all the same
    }
  }
}
