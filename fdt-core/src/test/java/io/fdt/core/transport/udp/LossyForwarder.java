package io.fdt.core.transport.udp;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;

/**
 * Stands between one client and a UDP server on loopback, and loses packets of both at random, and
 * all that are too long for a direction.
 */
public final class LossyForwarder implements AutoCloseable {
  private final DatagramSocket front;
  private final DatagramSocket back;
  private final double loss;
  private volatile InetSocketAddress client;
  private volatile int mostToServer = 65_536;
  private volatile int mostToClient = 65_536;
  private volatile int longest;

  public LossyForwarder(int serverPort, double loss, long seed) throws IOException {
    this.loss = loss;
    InetAddress here = InetAddress.getLoopbackAddress();
    front = new DatagramSocket(new InetSocketAddress(here, 0));
    back = new DatagramSocket(new InetSocketAddress(here, 0));
    for (DatagramSocket socket : new DatagramSocket[] {front, back}) {
      socket.setReceiveBufferSize(4 << 20);
    }
    InetSocketAddress server = new InetSocketAddress(here, serverPort);
    start(front, back, server, new Random(seed));
    start(back, front, null, new Random(seed + 1));
  }

  /** Longer packets are dropped from now on. */
  public void dropLonger(int toServer, int toClient) {
    mostToServer = toServer;
    mostToClient = toClient;
  }

  /** Bytes of the longest packet of data that has passed. */
  public int longest() {
    return longest;
  }

  public int port() {
    return front.getLocalPort();
  }

  private void start(
      DatagramSocket from, DatagramSocket to, InetSocketAddress fixed, Random random) {
    Thread thread = new Thread(() -> forward(from, to, fixed, random), "forwarder");
    thread.setDaemon(true);
    thread.start();
  }

  private void forward(
      DatagramSocket from, DatagramSocket to, InetSocketAddress fixed, Random random) {
    DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
    try {
      while (true) {
        packet.setLength(65_536);
        from.receive(packet);
        if (fixed != null) {
          client = (InetSocketAddress) packet.getSocketAddress();
        }
        int length = packet.getLength();
        if (random.nextDouble() >= loss
            && length <= (fixed == null ? mostToClient : mostToServer)) {
          boolean isData = packet.getData()[0] >= 0;
          longest = Math.max(longest, isData ? length : 0);
          packet.setSocketAddress(fixed == null ? client : fixed);
          to.send(packet);
        }
      }
    } catch (IOException e) {
      // It was closed.
    }
  }

  @Override
  public void close() {
    front.close();
    back.close();
  }
}
