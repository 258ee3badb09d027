package io.fdt.udt.transport;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;

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
  private volatile boolean forges;
  private volatile long mostData = Long.MAX_VALUE;
  private volatile BooleanSupplier isCut = () -> false;
  private final AtomicLong dataBytes = new AtomicLong();
  private final AtomicLong encryptedBytes = new AtomicLong();
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

  /** Of packets of data only those pass that are among the first so many bytes. */
  public void dropDataAfter(long bytes) {
    mostData = bytes;
  }

  /** No packet passes once this is so; it is asked for each packet. */
  public void cutWhen(BooleanSupplier isCut) {
    this.isCut = isCut;
  }

  /**
   * From now on each packet comes twice and damaged too, and with it a shutdown that nobody has
   * sent, whose checksum is right.
   */
  public void forge() {
    forges = true;
  }

  private void forge(DatagramPacket original, DatagramSocket to) throws IOException {
    byte[] bytes = Arrays.copyOf(original.getData(), original.getLength());
    to.send(new DatagramPacket(bytes, bytes.length, original.getSocketAddress()));
    bytes[bytes.length - 30] ^= 4;
    to.send(new DatagramPacket(bytes, bytes.length, original.getSocketAddress()));
    for (int sign = 0; sign < 2; sign++) {
      int socket = ByteBuffer.wrap(bytes).getInt(12) ^ sign << 31;
      ByteBuffer shutdown = ByteBuffer.allocate(24);
      shutdown.putInt(0x8005_0000).putInt(0).putInt(0).putInt(socket).putInt(0);
      CRC32C crc = new CRC32C();
      crc.update(shutdown.array(), 0, 20);
      shutdown.putInt((int) crc.getValue());
      to.send(new DatagramPacket(shutdown.array(), 24, original.getSocketAddress()));
    }
  }

  /** Bytes of the longest packet of data that has passed. */
  public int longest() {
    return longest;
  }

  /** Bytes of all packets of data that have passed. */
  public long dataBytes() {
    return dataBytes.get();
  }

  /** Bytes of those of them that are of connections of encrypted packets. */
  public long encryptedBytes() {
    return encryptedBytes.get();
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
        boolean isTooMuch = packet.getData()[0] >= 0 && dataBytes.get() >= mostData;
        if (!isTooMuch
            && !isCut.getAsBoolean()
            && random.nextDouble() >= loss
            && length <= (fixed == null ? mostToClient : mostToServer)) {
          starts.merge(
              (packet.getData()[0] & 0xFF) * 256 + (packet.getData()[1] & 0xFF), 1, Integer::sum);
          boolean isData = packet.getData()[0] >= 0;
          dataBytes.addAndGet(isData ? length : 0);
          encryptedBytes.addAndGet(isData && packet.getData()[12] < 0 ? length : 0);
          longest = Math.max(longest, isData ? length : 0);
          packet.setSocketAddress(fixed == null ? client : fixed);
          send(packet, fixed == null ? front : back);
          if (forges && length >= 40) {
            forge(packet, fixed == null ? front : back);
          }
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
