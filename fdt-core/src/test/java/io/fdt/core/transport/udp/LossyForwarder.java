package io.fdt.core.transport.udp;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between one client and a UDP server on loopback, and loses packets of both at random, and
 * all that are too long for a direction.
 */
public final class LossyForwarder implements AutoCloseable {
  private final DatagramSocket front;
  private volatile DatagramSocket back;
  private final double loss;
  private final long seed;
  private volatile InetSocketAddress client;
  private volatile int mostToServer = 65_536;
  private volatile int mostToClient = 65_536;
  private volatile int longest;
  private final AtomicLong dataBytes = new AtomicLong();
  private final Map<Integer, Integer> starts = new ConcurrentHashMap<>();

  public LossyForwarder(int serverPort, double loss, long seed) throws IOException {
    this.loss = loss;
    InetAddress here = InetAddress.getLoopbackAddress();
    front = new DatagramSocket(new InetSocketAddress(here, 0));
    back = new DatagramSocket(new InetSocketAddress(here, 0));
    for (DatagramSocket socket : new DatagramSocket[] {front, back}) {
      socket.setReceiveBufferSize(4 << 20);
    }
    InetSocketAddress server = new InetSocketAddress(here, serverPort);
    this.seed = seed;
    start(front, server, new Random(seed));
    start(back, null, new Random(seed + 1));
  }

  /** Forgets the client: the server sees it at another port from now on. */
  public void rebind() throws IOException {
    DatagramSocket old = back;
    DatagramSocket other = new DatagramSocket(new InetSocketAddress(old.getLocalAddress(), 0));
    other.setReceiveBufferSize(4 << 20);
    back = other;
    old.close();
    start(other, null, new Random(seed + 2));
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

  /** Bytes of all packets of data that have passed. */
  public long dataBytes() {
    return dataBytes.get();
  }

  /** Packets that have passed and begin with these two bytes. */
  public int count(int start) {
    return starts.getOrDefault(start, 0);
  }

  public int port() {
    return front.getLocalPort();
  }

  private void start(DatagramSocket from, InetSocketAddress fixed, Random random) {
    Thread thread = new Thread(() -> forward(from, fixed, random), "forwarder");
    thread.setDaemon(true);
    thread.start();
  }

  private void forward(DatagramSocket from, InetSocketAddress fixed, Random random) {
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
          starts.merge(
              (packet.getData()[0] & 0xFF) * 256 + (packet.getData()[1] & 0xFF), 1, Integer::sum);
          boolean isData = packet.getData()[0] >= 0;
          dataBytes.addAndGet(isData ? length : 0);
          longest = Math.max(longest, isData ? length : 0);
          packet.setSocketAddress(fixed == null ? client : fixed);
          send(packet, fixed == null ? front : back);
        }
      }
    } catch (IOException e) {
      // It was closed.
    }
  }

  private void send(DatagramPacket packet, DatagramSocket to) throws IOException {
    try {
      to.send(packet);
    } catch (IOException e) {
      if (to == back) {
        throw e;
      } // it was bound anew just now: the packet is lost
    }
  }

  @Override
  public void close() {
    front.close();
    back.close();
  }
}
