package io.fdt.compare;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;

/**
 * A host of its own for the receiving end: a network namespace, joined to this host by a pair of
 * virtual network cards. Root only.
 */
final class VethPair implements AutoCloseable {
  private static final String NAME = "fdt-ladder";
  private static final String NEAR = "fdt-ladder0";
  private static final String FAR = "fdt-ladder1";
  private static final String FAR_ADDRESS = "198.18.7.2";

  VethPair() throws IOException {
    ip("netns", "add", NAME);
    try {
      ip("link", "add", NEAR, "type", "veth", "peer", "name", FAR, "netns", NAME);
      ip("addr", "add", "198.18.7.1/24", "dev", NEAR);
      ip("link", "set", NEAR, "up");
      ip("-n", NAME, "addr", "add", FAR_ADDRESS + "/24", "dev", FAR);
      ip("-n", NAME, "link", "set", FAR, "up");
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Whether this process may make one: as root, with ip. */
  static boolean works() {
    return Files.isWritable(Path.of("/run/netns")) && Files.isExecutable(Path.of("/sbin/ip"));
  }

  /** A new socket of the far host. */
  ServerSocketChannel listening() throws Exception {
    FutureTask<ServerSocketChannel> opening =
        new FutureTask<>(
            () -> {
              SystemCalls.enter(Path.of("/run/netns", NAME));
              return ServerSocketChannel.open();
            });
    new Thread(opening, "ladder-far-host").start(); // it ends, and with it its namespace
    return opening.get();
  }

  /** The address of the far host, with any port. */
  InetSocketAddress address() {
    return new InetSocketAddress(FAR_ADDRESS, 0);
  }

  @Override
  public void close() throws IOException {
    ip("netns", "del", NAME); // and with it the cards
  }

  private static void ip(String... words) throws IOException {
    ProcessBuilder command = new ProcessBuilder("ip").inheritIO();
    command.command().addAll(List.of(words));
    try {
      int status = command.start().waitFor();
      if (status != 0) {
        throw new IOException("status " + status + " of " + command.command());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted in " + command.command());
    }
  }
}
