package io.fdt.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every {@link SourceTree} does: files have the {@link SyntheticContent} of their names. */
public abstract class SourceTreeContract {
  public static final int SIZE = 100_003;

  /**
   * A tree with files of {@link #SIZE} bytes each: at least 3 in at least 2 directories, unless
   * {@link #hasDirectories} says otherwise.
   */
  public abstract SourceTree openTree() throws Exception;

  /** Whether there are directories; otherwise it has one file. */
  public boolean hasDirectories() {
    return true;
  }

  /** Where the first byte of a file is in the content of its name. */
  public long start() {
    return 0;
  }

  @Test
  public void everyEntryComesAfterItsParentAndEveryDirectoryEndsOnce() throws Exception {
    try (SourceTree tree = openTree()) {
      RecordedWalk walk = RecordedWalk.of(tree);
      assertThat(walk.failed).isEmpty();
      assertThat(walk.files).hasSizeGreaterThanOrEqualTo(hasDirectories() ? 3 : 1);
      assertThat(walk.entries.values())
          .filteredOn(entry -> entry.kind() == EntryKind.DIRECTORY)
          .hasSizeGreaterThanOrEqualTo(hasDirectories() ? 2 : 0);
      assertThat(tree.roots()).isNotEmpty();
    }
  }

  @Test
  public void everyFileReadsItsOwnBytesWhateverTheOffset() throws Exception {
    try (SourceTree tree = openTree()) {
      RecordedWalk walk = RecordedWalk.of(tree);
      for (Map.Entry<String, SourceTree.SourceFile> file : walk.files.entrySet()) {
        Entry entry = walk.entries.get(file.getKey());
        assertThat(entry.size()).isEqualTo(SIZE);
        try (BlockReader reader = file.getValue().open()) {
          for (int offset : new int[] {0, 1, 4095, 65_536, SIZE - 10}) {
            assertContent(reader, entry.name(), PooledByteBufAllocator.DEFAULT, 10, offset, 10);
          }
          assertThat(reader.holes(1000)).as("holes of a file full of data").isEmpty();
          reader.checkUnchanged();
        }
        file.getValue().release();
      }
    }
  }

  @Test
  public void readIsShortOnlyAtTheEndOfTheFile() throws Exception {
    try (SourceTree tree = openTree()) {
      RecordedWalk walk = RecordedWalk.of(tree);
      FileName name = firstFile(walk).name();
      try (BlockReader reader = walk.files.values().iterator().next().open()) {
        ByteBufAllocator pool = PooledByteBufAllocator.DEFAULT;
        assertContent(reader, name, pool, SIZE, 0, SIZE);
        assertContent(reader, name, pool, SIZE + 1, 0, SIZE);
        assertContent(reader, name, pool, 100, SIZE - 1, 1);
        assertContent(reader, name, pool, 100, SIZE, 0);
        assertContent(reader, name, pool, 100, SIZE + 4096, 0);
      }
    }
  }

  @Test
  public void anyKindOfBufferIsFilled() throws Exception {
    try (SourceTree tree = openTree()) {
      RecordedWalk walk = RecordedWalk.of(tree);
      FileName name = firstFile(walk).name();
      try (BlockReader reader = walk.files.values().iterator().next().open()) {
        for (ByteBufAllocator allocator :
            List.of(
                new PooledByteBufAllocator(true),
                new PooledByteBufAllocator(false),
                new UnpooledByteBufAllocator(true, true, true),
                new UnpooledByteBufAllocator(false, true, true))) {
          assertContent(reader, name, allocator, SIZE, 1, SIZE - 1);
        }
      }
    }
  }

  @Test
  public void readAppendsToWhatTheBufferHolds() throws Exception {
    try (SourceTree tree = openTree()) {
      RecordedWalk walk = RecordedWalk.of(tree);
      FileName name = firstFile(walk).name();
      ByteBuf buffer = PooledByteBufAllocator.DEFAULT.buffer();
      try (BlockReader reader = walk.files.values().iterator().next().open()) {
        buffer.writeByte(7);
        assertThat(reader.read(buffer, 20, 0)).isEqualTo(20);
        assertThat(reader.read(buffer, 30, 20)).isEqualTo(30);
        assertThat(buffer.readableBytes()).isEqualTo(51);
        assertThat(buffer.readByte()).isEqualTo((byte) 7);
        assertThat(SyntheticContent.of(name).firstDifference(buffer, start())).isEqualTo(-1);
      } finally {
        buffer.release();
      }
    }
  }

  @Test
  public void severalThreadsReadOneFile() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (SourceTree tree = openTree()) {
      RecordedWalk walk = RecordedWalk.of(tree);
      FileName name = firstFile(walk).name();
      try (BlockReader reader = walk.files.values().iterator().next().open()) {
        List<Future<?>> results = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
          int offset = i * 241;
          results.add(
              threads.submit(
                  () -> {
                    assertContent(reader, name, PooledByteBufAllocator.DEFAULT, 241, offset, 241);
                    return null;
                  }));
        }
        for (Future<?> result : results) {
          result.get(30, TimeUnit.SECONDS);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  public void closedReaderReadsNothingAndMayBeClosedAgain() throws Exception {
    try (SourceTree tree = openTree()) {
      RecordedWalk walk = RecordedWalk.of(tree);
      BlockReader reader = walk.files.values().iterator().next().open();
      reader.close();
      reader.close();
      ByteBuf buffer = PooledByteBufAllocator.DEFAULT.buffer(10);
      try {
        assertThatThrownBy(() -> reader.read(buffer, 10, 0))
            .isInstanceOfSatisfying(
                FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
      } finally {
        buffer.release();
      }
    }
  }

  public static Entry firstFile(RecordedWalk walk) {
    return walk.entries.get(walk.files.keySet().iterator().next());
  }

  private void assertContent(
      BlockReader reader,
      FileName name,
      ByteBufAllocator allocator,
      int length,
      long offset,
      int expected)
      throws FdtException {
    assertReads(reader, name, allocator, length, offset, expected, start());
  }

  /** Reads once and compares with what the file of this name holds. */
  public static void assertReads(
      BlockReader reader,
      FileName name,
      ByteBufAllocator allocator,
      int length,
      long offset,
      int expected)
      throws FdtException {
    assertReads(reader, name, allocator, length, offset, expected, 0);
  }

  private static void assertReads(
      BlockReader reader,
      FileName name,
      ByteBufAllocator allocator,
      int length,
      long offset,
      int expected,
      long start)
      throws FdtException {
    ByteBuf buffer = allocator.buffer(length);
    try {
      assertThat(reader.read(buffer, length, offset)).isEqualTo(expected);
      assertThat(buffer.readableBytes()).isEqualTo(expected);
      assertThat(SyntheticContent.of(name).firstDifference(buffer, start + offset)).isEqualTo(-1);
    } finally {
      buffer.release();
    }
  }
}
