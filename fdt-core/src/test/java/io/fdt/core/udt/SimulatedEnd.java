package io.fdt.core.udt;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.function.Consumer;

/**
 * One end: sends bytes that encode their own position, and compares what comes with those of the
 * other end.
 */
final class SimulatedEnd implements Application, Datagrams {
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

  static byte at(long position) {
    long mixed = position * 0x9E37_79B9_7F4A_7C15L;
    return (byte) (mixed >>> 56);
  }

  void write() {
    while (sent < toSend && connection.state() == UdtConnection.State.OPEN) {
      int length = (int) Math.min(toSend - sent, 5000);
      ByteBuf bytes = Unpooled.buffer(length);
      for (int i = 0; i < length; i++) {
        bytes.writeByte(at(sent + i));
      }
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
    for (int i = 0; i < taken; i++) {
      if (memory.getByte(index + i) != at(received + i)) {
        throw new AssertionError("another byte at " + (received + i));
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
