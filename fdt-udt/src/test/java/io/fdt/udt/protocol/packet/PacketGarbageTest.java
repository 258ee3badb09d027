package io.fdt.udt.protocol.packet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.fdt.udt.protocol.Application;
import io.fdt.udt.protocol.UdtConnection;
import io.fdt.udt.protocol.UdtSettings;
import io.fdt.udt.protocol.WindowMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connection makes no objects for each packet, at either end. */
class PacketGarbageTest {
  private static final int PIECE = 1 << 20;
  private static final long STEP_MICROS = 1000;
  private static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final ByteBuf content = ALLOCATOR.directBuffer(PIECE).writeZero(PIECE);

  /** Packets on their way, in one piece of memory as the system gives them. */
  private final ByteBuf wire = ALLOCATOR.directBuffer(4 * PIECE, 4 * PIECE);

  private final ResourceLeakDetector.Level levelBefore = ResourceLeakDetector.getLevel();
  private long now = 1_000_000;
  private long received;

  @BeforeEach
  void traceNothing() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterEach
  void release() {
    ResourceLeakDetector.setLevel(levelBefore);
    content.release();
    wire.release();
  }

  /** Hands packets to the other end, one behind the other. */
  private final class Wire implements Datagrams, Application {
    private UdtConnection other;

    @Override
    public void data(ByteBuf memory, int index, int length, int packet) {
      wire.setBytes(0, memory, index, length);
      for (int at = 0; at < length; at += packet) {
        other.receive(now, wire, at, Math.min(packet, length - at));
      }
      other.allRead(now);
    }

    @Override
    public void controlAndRelease(ByteBuf packet) {
      other.receive(now, packet, packet.readerIndex(), packet.readableBytes());
      other.allRead(now);
      packet.release();
    }

    @Override
    public int deliver(ByteBuf memory, int index, int length) {
      received += length;
      return length;
    }

    @Override
    public void writable() {
      // The test writes at each step.
    }
  }

  @Test
  void packetsInTheClearMakeNone() {
    Terms terms = new Terms(5, 1500, 11, 22, 1000);
    Wire toSecond = new Wire();
    Wire toFirst = new Wire();
    UdtConnection first = end(terms, toSecond);
    UdtConnection second = end(new Terms(5, 1500, 22, 11, 1000), toFirst);
    toSecond.other = second;
    toFirst.other = first;
    first.openWindow();
    second.openWindow();
    run(first, second, 300);
    long before = received;
    long bytes = run(first, second, 1000);
    long packets = (received - before) / terms.payload();
    assertThat(packets).isGreaterThan(10_000);
    // What is left is of acknowledgements, one for each step at the most.
    assertThat(bytes / packets).as("%d bytes, %d packets", bytes, packets).isLessThan(8);
    first.release();
    second.release();
  }

  private UdtConnection end(Terms terms, Wire out) {
    return new UdtConnection(
        ALLOCATOR, WindowMemory.UNBOUNDED, terms, UdtSettings.DEFAULT, out, out, now);
  }

  /** Goes on for so many steps. Returns the bytes of objects that were made. */
  private long run(UdtConnection first, UdtConnection second, int steps) {
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int step = 0; step < steps; step++) {
      now += STEP_MICROS;
      content.setIndex(0, PIECE);
      first.write(content);
      first.transmit(now);
      second.transmit(now);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
