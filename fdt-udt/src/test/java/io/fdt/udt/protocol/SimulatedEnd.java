package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Random;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * One end: sends bytes that encode their own position, and compares what comes with those of the
 * other end.
 */
final class SimulatedEnd implements Application, Datagrams {
  /** A prime, so that no packet is like the one before it. */
  private static final int PERIOD = 65_521;

  /** Most bytes that are written or compared at once. */
  private static final int PIECE = 5000;

  private static final ByteBuf CONTENT = content();

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final Consumer<byte[]> network;
  final UdtConnection connection;
  long toSend;
  long sent;
  long received;

  /** Bytes that it takes before it stops reading. */
  long appetite = Long.MAX_VALUE;

  SimulatedEnd(
      WindowMemory memory, Terms terms, UdtSettings settings, long now, Consumer<byte[]> network) {
    this.network = network;
    this.connection = new UdtConnection(allocator, memory, terms, settings, this, this, now);
    connection.openWindow();
  }

  /** One whose packets are encrypted. */
  SimulatedEnd(
      Terms clear,
      PathKey key,
      boolean dialed,
      UdtSettings settings,
      long now,
      Consumer<byte[]> network) {
    this.network = network;
    WindowMemory memory = WindowMemory.UNBOUNDED;
    this.connection =
        SealedConnection.make(allocator, memory, clear, key, dialed, settings, this, this, now);
    connection.openWindow();
  }

  /** The byte at a place of each stream: the same again after a prime number of bytes. */
  static byte at(long position) {
    return CONTENT.getByte((int) (position % PERIOD));
  }

  private static ByteBuf content() {
    byte[] content = new byte[PERIOD + PIECE];
    new Random(PERIOD).nextBytes(content);
    System.arraycopy(content, 0, content, PERIOD, PIECE);
    return Unpooled.wrappedBuffer(content).asReadOnly();
  }

  /** The packet, with the check that is missing at its end. */
  static ByteBuf checked(ByteBuf packet) {
    CRC32C crc = new CRC32C();
    crc.update(packet.nioBuffer());
    return packet.writeInt((int) crc.getValue());
  }

  void write() {
    while (sent < toSend && connection.state() == UdtConnection.State.OPEN) {
      int length = (int) Math.min(toSend - sent, PIECE);
      ByteBuf bytes = CONTENT.slice((int) (sent % PERIOD), length);
      connection.write(bytes);
      sent += length - bytes.readableBytes();
      if (bytes.isReadable()) {
        return;
      }
    }
  }

  @Override
  public int deliver(ByteBuf memory, int index, int length) {
    int taken = (int) Math.min(length, appetite - received);
    for (int done = 0; done < taken; done += PIECE) {
      int count = Math.min(PIECE, taken - done);
      int place = (int) ((received + done) % PERIOD);
      if (!ByteBufUtil.equals(memory, index + done, CONTENT, place, count)) {
        throw new AssertionError("other bytes from " + (received + done) + " on");
      }
    }
    received += taken;
    return taken;
  }

  @Override
  public void writable() {
    write();
  }

  @Override
  public void data(ByteBuf memory, int index, int length, int packet) {
    for (int at = 0; at < length; at += packet) {
      byte[] bytes = new byte[Math.min(packet, length - at)];
      memory.getBytes(index + at, bytes);
      network.accept(bytes);
    }
  }

  @Override
  public void controlAndRelease(ByteBuf packet) {
    byte[] bytes = new byte[packet.readableBytes()];
    packet.readBytes(bytes);
    packet.release();
    network.accept(bytes);
  }

  long wakeUp(long now) {
    return connection.wakeUpMicros(now);
  }

  void assertReleased() {
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  long memory() {
    return allocator.metric().usedDirectMemory();
  }
}
