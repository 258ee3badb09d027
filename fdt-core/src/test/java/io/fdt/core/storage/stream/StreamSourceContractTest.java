package io.fdt.core.storage.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A stream can be read once, from its start to its end: what reads at any offset, or by several
 * threads, does not apply, and reads in order here. See {@link StreamSourceTest} for what is held.
 */
class StreamSourceContractTest extends SourceTreeContract {
  private static final FileName NAME = FileName.of("-");

  @Override
  public SourceTree openTree() {
    ByteBuf content = Unpooled.buffer(SIZE);
    SyntheticContent.of(NAME).appendTo(content, SIZE, 0);
    return new StreamSource(new ByteBufInputStream(content), SIZE, 0644);
  }

  @Override
  public boolean hasDirectories() {
    return false;
  }

  @Test
  @Override
  public void everyFileReadsItsOwnBytesWhateverTheOffset() throws Exception {
    readsInOrder(PooledByteBufAllocator.DEFAULT, 1_000);
  }

  @Test
  @Override
  public void severalThreadsReadOneFile() throws Exception {
    readsInOrder(PooledByteBufAllocator.DEFAULT, 241);
  }

  @Test
  @Override
  public void anyKindOfBufferIsFilled() throws Exception {
    for (ByteBufAllocator allocator :
        List.of(
            new PooledByteBufAllocator(true),
            new PooledByteBufAllocator(false),
            new UnpooledByteBufAllocator(true, true, true),
            new UnpooledByteBufAllocator(false, true, true))) {
      readsInOrder(allocator, 10_007);
    }
  }

  @Test
  @Override
  public void readIsShortOnlyAtTheEndOfTheFile() throws Exception {
    try (SourceTree tree = openTree();
        BlockReader reader = open(tree)) {
      assertReads(reader, NAME, PooledByteBufAllocator.DEFAULT, SIZE - 1, 0, SIZE - 1);
      assertReads(reader, NAME, PooledByteBufAllocator.DEFAULT, 100, SIZE - 1, 1);
      assertReads(reader, NAME, PooledByteBufAllocator.DEFAULT, 100, SIZE, 0);
    }
  }

  /** Blocks are opened and closed one by one; the stream stays open until the file is released. */
  @Test
  @Override
  public void closedReaderReadsNothingAndMayBeClosedAgain() throws Exception {
    try (SourceTree tree = openTree()) {
      SourceTree.SourceFile file = RecordedWalk.of(tree).files.get("-");
      BlockReader first = file.open();
      assertReads(first, NAME, PooledByteBufAllocator.DEFAULT, 10, 0, 10);
      first.close();
      first.close();
      try (BlockReader second = file.open()) {
        assertReads(second, NAME, PooledByteBufAllocator.DEFAULT, 10, 10, 10);
      }
    }
  }

  private void readsInOrder(ByteBufAllocator allocator, int step) throws Exception {
    try (SourceTree tree = openTree();
        BlockReader reader = open(tree)) {
      assertThat(tree.isInOrder()).isTrue();
      for (int at = 0; at < SIZE; at += step) {
        assertReads(reader, NAME, allocator, step, at, Math.min(step, SIZE - at));
      }
      assertThat(reader.holes(1000)).isEmpty();
      reader.checkUnchanged();
    }
  }

  private static BlockReader open(SourceTree tree) throws Exception {
    return RecordedWalk.of(tree).files.get("-").open();
  }
}
