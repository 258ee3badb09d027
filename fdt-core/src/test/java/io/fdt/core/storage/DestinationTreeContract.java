package io.fdt.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * What every {@link DestinationTree} does with files that hold the {@link SyntheticContent} of
 * their names.
 */
public abstract class DestinationTreeContract {
  public static final Timestamp MODIFIED = new Timestamp(1_600_000_000L, 987_654_321);
  public static final Root CONTENTS = new Root(null, EntryKind.DIRECTORY, 0755, MODIFIED);

  private static final FileName NAME = FileName.of("data");

  /** An empty destination. */
  public abstract DestinationTree openTree() throws Exception;

  /** Checks that a file is there under its final name, with all its bytes. */
  public abstract void assertPublished(String path, FileName name, long size) throws Exception;

  /** Checks that nothing is there, under whatever name. */
  public abstract void assertNothingThere() throws Exception;

  /** All bytes of a file that was published. */
  public abstract byte[] contentOf(String path) throws Exception;

  /** What is to arrive. */
  public List<Root> roots() {
    return List.of(CONTENTS);
  }

  /** A directory with this name; where there are none, the place that there is. */
  public DestinationDirectory inner(DestinationDirectory base, String name) throws FdtException {
    return base.makeDirectory(FileName.of(name));
  }

  @Test
  public void fileIsThereWhenItIsPublishedAndNotBefore() throws Exception {
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      DestinationDirectory inner = inner(directory, "inner");
      assertThat(inner.isFresh()).isTrue();
      assertThat(inner.find(NAME)).isEmpty();
      try (DestinationDirectory.PendingFile file = inner.create(NAME, FileShape.of(1000))) {
        writeContent(file, NAME, 0, 1000);
        assertThat(inner.find(NAME)).isEmpty();
        file.publish(0640, MODIFIED, Durability.NONE);
      }
      assertPublished("inner/data", NAME, 1000);
    }
  }

  @Test
  public void emptyFileArrives() throws Exception {
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      try (DestinationDirectory.PendingFile file = directory.create(NAME, FileShape.of(0))) {
        file.publish(0644, MODIFIED, Durability.NONE);
      }
      assertPublished("data", NAME, 0);
    }
  }

  @Test
  public void blocksMayComeInAnyOrderOnSeveralThreads() throws Exception {
    int blocks = 300;
    int length = 7919;
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < blocks; i++) {
        order.add(i);
      }
      Collections.shuffle(order, new Random(3));
      try (DestinationDirectory.PendingFile file =
          directory.create(NAME, FileShape.of((long) blocks * length))) {
        List<Future<?>> results = new ArrayList<>();
        for (int block : order) {
          results.add(
              threads.submit(
                  () -> {
                    writeContent(file, NAME, (long) block * length, length);
                    return null;
                  }));
        }
        for (Future<?> result : results) {
          result.get(30, TimeUnit.SECONDS);
        }
        file.publish(0644, MODIFIED, Durability.NONE);
      }
      assertPublished("data", NAME, (long) blocks * length);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  public void anyKindOfBufferIsWrittenAndItsIndicesStay() throws Exception {
    int length = 150_000;
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      ByteBuf direct = UnpooledByteBufAllocator.DEFAULT.directBuffer();
      SyntheticContent.of(NAME).appendTo(direct, length, 0);
      ByteBuf heap = Unpooled.copiedBuffer(direct);
      CompositeByteBuf parts = Unpooled.compositeBuffer();
      parts.addComponents(
          true, direct.retainedSlice(0, 70_000), heap.retainedSlice(70_000, length - 70_000));
      ByteBuf shifted = Unpooled.buffer().writeByte(9).writeBytes(heap, 0, length).skipBytes(1);
      int number = 0;
      for (ByteBuf source : List.of(direct, heap, parts, shifted, heap.asReadOnly())) {
        FileName name = FileName.of("data");
        DestinationDirectory inner = inner(directory, "d" + number);
        try (DestinationDirectory.PendingFile file = inner.create(name, FileShape.of(length))) {
          int reader = source.readerIndex();
          file.write(source, 0);
          assertThat(source.readerIndex()).isEqualTo(reader);
          assertThat(source.readableBytes()).isEqualTo(length);
          file.publish(0644, MODIFIED, Durability.NONE);
        }
        assertPublished("d" + number + "/data", name, length);
        number++;
      }
      parts.release();
      heap.release();
      direct.release();
    }
  }

  @Test
  public void fileThatIsClosedWithoutPublishingLeavesNothing() throws Exception {
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      DestinationDirectory.PendingFile file = directory.create(NAME, FileShape.of(1000));
      writeContent(file, NAME, 0, 500);
      file.close();
      file.close();
      assertNothingThere();
      assertFails(() -> writeContent(file, NAME, 500, 500), ErrorCode.CANCELLED);
    }
  }

  @Test
  public void oneFileHasOneWriterAtATime() throws Exception {
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      DestinationDirectory.PendingFile first = directory.create(NAME, FileShape.of(10));
      assertFails(() -> directory.create(NAME, FileShape.of(10)), ErrorCode.IN_USE);
      writeContent(first, NAME, 0, 10);
      first.publish(0644, MODIFIED, Durability.NONE);
      first.close();
      assertPublished("data", NAME, 10);
      try (DestinationDirectory.PendingFile second = directory.create(NAME, FileShape.of(20))) {
        writeContent(second, NAME, 0, 20);
        second.publish(0644, MODIFIED, Durability.NONE);
      }
      assertPublished("data", NAME, 20);
    }
  }

  @Test
  public void fileThatIsForcedIsThere() throws Exception {
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      tree.force();
      try (DestinationDirectory.PendingFile file = directory.create(NAME, FileShape.of(1000))) {
        writeContent(file, NAME, 0, 1000);
        file.forget(bytes -> {});
        file.publish(0640, MODIFIED, Durability.FORCED);
      }
      directory.force();
      directory.finish(0755, MODIFIED, Durability.FORCED);
      assertPublished("data", NAME, 1000);
    }
  }

  @Test
  public void fileWithAJournalIsThere() throws Exception {
    int size = Math.toIntExact(DestinationDirectory.JOURNALED_BYTES);
    SourceVersion version = new SourceVersion(size, MODIFIED, 7);
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      assertThat(directory.findPartial(NAME, version).kept()).isEmpty();
      try (DestinationDirectory.PendingFile file =
          directory.create(NAME, FileShape.of(version, List.of()))) {
        writeContent(file, NAME, 0, size);
        file.keep(new CheckedRange(0, size, 0));
        file.publish(0640, MODIFIED, Durability.NONE);
      }
      assertThat(directory.findPartial(NAME, version).kept()).isEmpty();
      assertPublished("data", NAME, size);
    }
  }

  @Test
  public void holesAreZeros() throws Exception {
    int page = 64 << 10;
    SourceVersion version = new SourceVersion(4L * page, MODIFIED, 7);
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      try (DestinationDirectory.PendingFile file =
          directory.create(NAME, new FileShape(version.size(), true, version, List.of()))) {
        file.makeHole(new Range(0, page));
        writeContent(file, NAME, page, page);
        file.makeHole(new Range(2L * page, 4L * page));
        file.publish(0640, MODIFIED, Durability.NONE);
      }
    }
    ByteBuf expected = Unpooled.buffer().writeZero(page);
    SyntheticContent.of(NAME).appendTo(expected, page, page);
    expected.writeZero(2 * page);
    assertThat(contentOf("data")).isEqualTo(ByteBufUtil.getBytes(expected));
  }

  @Test
  public void fileThatIsDiscardedLeavesNothing() throws Exception {
    SourceVersion version = new SourceVersion(DestinationDirectory.JOURNALED_BYTES, MODIFIED, 7);
    try (DestinationTree tree = openTree()) {
      DestinationDirectory directory = tree.open(roots()).directory();
      DestinationDirectory.PendingFile file =
          directory.create(NAME, FileShape.of(version, List.of()));
      writeContent(file, NAME, 0, 500);
      file.keep(new CheckedRange(0, 500, 0));
      file.discard();
      file.discard();
      assertNothingThere();
    }
  }

  public static void writeContent(
      DestinationDirectory.PendingFile file, FileName name, long offset, int length)
      throws FdtException {
    ByteBuf data = UnpooledByteBufAllocator.DEFAULT.directBuffer(length);
    try {
      SyntheticContent.of(name).appendTo(data, length, offset);
      file.write(data, offset);
    } finally {
      data.release();
    }
  }

  public static FdtException assertFails(ThrowingCallable call, ErrorCode code) {
    FdtException[] caught = new FdtException[1];
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FdtException.class,
            e -> {
              assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
              assertThat(e.getMessage()).doesNotContain("\n");
              caught[0] = e;
            });
    return caught[0];
  }
}
