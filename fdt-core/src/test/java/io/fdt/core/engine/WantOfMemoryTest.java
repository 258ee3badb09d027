package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.forward.ForwardingSource;
import io.fdt.core.storage.synthetic.SyntheticDestination;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Java machine without memory: both ends hear of it, and nobody waits for what never comes. */
class WantOfMemoryTest {
  private static final int BLOCK_SIZE = 256 << 10;
  private static final int FILES = 40;
  private static final TransferSpec SPEC = Specs.blocks(BLOCK_SIZE);

  /** Has no memory for buffers of some size, after some of them, on threads of this name. */
  private static final class Exhausted extends AbstractByteBufAllocator {
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    private final String threads;
    private final int leastBytes;
    private final AtomicInteger left;

    Exhausted(String threads, int leastBytes, int buffers) {
      super(true);
      this.threads = threads;
      this.leastBytes = leastBytes;
      this.left = new AtomicInteger(buffers);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return memory.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (initialCapacity >= leastBytes
          && Thread.currentThread().getName().contains(threads)
          && left.getAndDecrement() <= 0) {
        throw new OutOfMemoryError("Cannot reserve direct buffer memory");
      }
      return memory.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  /** Breaks off while it is walked. */
  private static final class BreakingOff extends ForwardingSource {
    BreakingOff(SourceTree tree) {
      super(tree);
    }

    @Override
    public void walk(Visitor visitor) throws InterruptedException {
      super.walk(visitor);
      throw new OutOfMemoryError("Java heap space");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7})
  void readersWithoutMemoryEndTheTransfer(int blocks) throws Exception {
    checkEnds(new Exhausted("-disk-", BLOCK_SIZE, blocks), source(), "reading failed");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7})
  void eventLoopsWithoutMemoryEndTheTransfer(int blocks) throws Exception {
    checkEnds(new Exhausted("test-server", BLOCK_SIZE, blocks), source(), "connection to");
  }

  /** Nothing can be received or sent any more, not even the reason: the ends end all the same. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 5})
  void anEndThatCannotSayWhyEnds(int buffers) throws Exception {
    Exhausted allocator = new Exhausted("test-server", 0, Integer.MAX_VALUE);
    try (TestTransfer transfer =
        new TestTransfer(
            true, SPEC, allocator, source(), SyntheticDestination.verifying(List.of()))) {
      allocator.left.set(buffers); // its connection stands
      assertThat(transfer.receiver.end()).isNotNull();
      assertThat(transfer.sender.end()).isNotNull();
      transfer.checkReleased();
    }
  }

  @Test
  void aWalkWithoutMemoryEndsTheTransfer() throws Exception {
    checkEnds(
        UnpooledByteBufAllocator.DEFAULT, new BreakingOff(source()), "walking the source failed");
  }

  private static SourceTree source() {
    return SyntheticSource.tree(FILES, BLOCK_SIZE, List.of());
  }

  private static void checkEnds(ByteBufAllocator allocator, SourceTree source, String what)
      throws Exception {
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer = new TestTransfer(true, SPEC, allocator, source, destination)) {
      transfer.dial(2);
      FdtException atSender = transfer.sender.end();
      FdtException atReceiver = transfer.receiver.end();
      assertThat(atSender.code()).isEqualTo(ErrorCode.RESOURCES);
      assertThat(atReceiver.code()).isEqualTo(ErrorCode.RESOURCES);
      assertThat(atSender).hasMessageContaining("-Xmx").hasMessageContaining(what);
      assertThat(atReceiver).hasMessageContaining("-Xmx").hasMessageContaining(what);
      transfer.checkReleased();
    }
    assertThat(destination.openFiles()).isZero();
  }
}
