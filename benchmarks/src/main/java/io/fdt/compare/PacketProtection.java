package io.fdt.compare;

import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.security.Tls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.zip.CRC32C;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The cost of protecting data over UDP: rounds of a CRC32C for each packet, of TLS within the
 * stream and then the CRC32C, and of AES-GCM for each packet. One thread does the work of both
 * ends; the figures of a round are the CPU time of that thread, which other processes affect
 * little. For the first data of each way, the figure is the CPU time of the whole process,
 * including the JIT compilers.
 */
public final class PacketProtection {
  /** The size of a packet with an MTU of 1,500 bytes, without IP and UDP headers. */
  private static final int PACKET = 1472;

  private static final int HEADER = 16;
  private static final int CRC = 4;
  private static final int TAG = 16;

  /** Bytes of the packet number, from which the nonce is made. */
  private static final int NUMBER = 8;

  private static final int NONCE = 12;
  private static final int FRAME = 1 << 20;

  /** MiB of a short transfer, during which code is compiled. */
  private static final int COLD_MIB = 128;

  private static final int WARM_UP_MIB = 512;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private PacketProtection() {}

  /** Protects some data at one end and checks it at the other. */
  private interface Way {
    void carry(long mebibytes) throws GeneralSecurityException;
  }

  /** Arguments: rounds (default 5), MiB per run (default 1024). */
  public static void main(String[] arguments) throws Exception {
    int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
    int mebibytes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1024;
    List<String> names = List.of("crc", "tls+crc", "aes-gcm");
    List<Way> ways = List.of(new Checked(), new TlsThenChecked(), new Sealed());
    System.out.println("TLS of " + (Tls.isNative() ? "BoringSSL" : "the JDK"));
    StringBuilder cold = new StringBuilder("first " + COLD_MIB + " MiB, CPU s with compilers:");
    for (int i = 0; i < ways.size(); i++) {
      Duration before = used();
      ways.get(i).carry(COLD_MIB);
      double spent = used().minus(before).toNanos() / 1e9;
      cold.append(String.format(Locale.ROOT, " %s %.2f", names.get(i), spent));
    }
    System.out.println(cold);
    for (Way way : ways) {
      way.carry(WARM_UP_MIB);
    }
    double[][] seconds = new double[ways.size()][rounds];
    for (int round = 0; round < rounds; round++) {
      StringBuilder line = new StringBuilder("round " + (round + 1) + ", CPU s per GiB:");
      for (int i = 0; i < ways.size(); i++) {
        long before = THREADS.getCurrentThreadCpuTime();
        ways.get(i).carry(mebibytes);
        long nanos = THREADS.getCurrentThreadCpuTime() - before;
        seconds[i][round] = nanos / 1e9 / mebibytes * 1024;
        line.append(String.format(Locale.ROOT, " %s %.2f", names.get(i), seconds[i][round]));
      }
      System.out.println(line);
    }
    for (int i = 0; i < ways.size(); i++) {
      Arrays.sort(seconds[i]);
      System.out.println(
          String.format(
              Locale.ROOT,
              "%s: median %.2f (%.2f to %.2f)",
              names.get(i),
              seconds[i][rounds / 2],
              seconds[i][0],
              seconds[i][rounds - 1]));
    }
  }

  /** CPU time of the whole process. */
  private static Duration used() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static ByteBuf random(int length) {
    byte[] bytes = new byte[length];
    new Random(1).nextBytes(bytes);
    return Unpooled.directBuffer(length).writeBytes(bytes);
  }

  /** A CRC32C at the end of each packet, computed and checked. */
  private static final class Checked implements Way {
    private final CRC32C crc = new CRC32C();
    private final ByteBuf packet = random(PACKET);

    @Override
    public void carry(long mebibytes) {
      carryBytes(mebibytes << 20);
    }

    void carryBytes(long bytes) {
      for (long left = bytes; left > 0; left -= PACKET - HEADER - CRC) {
        packet.setInt(PACKET - CRC, sum());
        if (packet.getInt(PACKET - CRC) != sum()) {
          throw new IllegalStateException("a packet is damaged");
        }
      }
    }

    private int sum() {
      crc.reset();
      crc.update(packet.nioBuffer(0, PACKET - CRC));
      return (int) crc.getValue();
    }
  }

  /** TLS 1.3 as on data streams, with a CRC32C for each packet. */
  private static final class TlsThenChecked implements Way {
    private final Checked packets = new Checked();
    private final ByteBuf frame = random(FRAME);
    private final EmbeddedChannel client;
    private final EmbeddedChannel server;

    TlsThenChecked() throws Exception {
      Identity identity = Identity.generate();
      SslHandler atServer =
          new ServerTls(identity, List.of())
              .handler(Tls.Purpose.DATA, false, PooledByteBufAllocator.DEFAULT);
      server = new EmbeddedChannel(atServer);
      client =
          new EmbeddedChannel(ClientTls.ofServer(identity).data(PooledByteBufAllocator.DEFAULT));
      long deadline = System.nanoTime() + 10_000_000_000L;
      while (!atServer.handshakeFuture().isSuccess()) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("no handshake within 10 s");
        }
        move(client, server);
        move(server, client);
        client.runPendingTasks();
        server.runPendingTasks();
        Thread.onSpinWait();
      }
      move(server, client);
    }

    private static long move(EmbeddedChannel from, EmbeddedChannel to) {
      long bytes = 0;
      for (ByteBuf one = from.readOutbound(); one != null; one = from.readOutbound()) {
        bytes += one.readableBytes();
        to.writeInbound(one);
      }
      return bytes;
    }

    @Override
    public void carry(long mebibytes) {
      for (long i = 0; i < mebibytes; i++) {
        client.writeOutbound(frame.retainedDuplicate());
        packets.carryBytes(move(client, server));
        long arrived = 0;
        for (ByteBuf one = server.readInbound(); one != null; one = server.readInbound()) {
          arrived += one.readableBytes();
          one.release();
        }
        if (arrived != FRAME) {
          throw new IllegalStateException("arrived=" + arrived);
        }
      }
    }
  }

  /** AES-128-GCM of the JDK: each packet has its own nonce, and its header as associated data. */
  private static final class Sealed implements Way {
    private final SecretKeySpec key = new SecretKeySpec(new byte[16], "AES");
    private final Cipher sealing = Cipher.getInstance("AES/GCM/NoPadding");
    private final Cipher opening = Cipher.getInstance("AES/GCM/NoPadding");
    private final byte[] plain = new byte[PACKET];
    private final byte[] packet = new byte[PACKET];
    private final byte[] opened = new byte[PACKET];
    private final ByteBuf wire = random(PACKET);
    private final byte[] nonce = new byte[NONCE];
    private long number;

    Sealed() throws GeneralSecurityException {}

    @Override
    public void carry(long mebibytes) throws GeneralSecurityException {
      int payload = PACKET - HEADER - NUMBER - TAG;
      for (long left = mebibytes << 20; left > 0; left -= payload) {
        ByteBuffer.wrap(nonce).putLong(NONCE - NUMBER, ++number);
        wire.getBytes(0, plain, 0, HEADER + payload); // from the window of packets
        sealing.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(TAG * Byte.SIZE, nonce));
        sealing.updateAAD(plain, 0, HEADER);
        sealing.doFinal(plain, HEADER, payload, packet, HEADER);
        wire.setBytes(0, packet); // to the socket

        wire.getBytes(0, packet); // from the socket
        opening.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG * Byte.SIZE, nonce));
        opening.updateAAD(plain, 0, HEADER);
        int count = opening.doFinal(packet, HEADER, payload + TAG, opened, HEADER);
        if (count != payload) {
          throw new IllegalStateException("opened=" + count);
        }
        wire.setBytes(HEADER, opened, HEADER, payload); // to the window of packets
      }
    }
  }
}
