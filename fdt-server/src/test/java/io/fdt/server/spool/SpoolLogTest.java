package io.fdt.server.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes whose values tell their position go through real files. */
class SpoolLogTest {
  private static final int BUFFER = 200_000;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final AtomicInteger names = new AtomicInteger();
  private @TempDir Path directory;
  private long added;
  private long taken;

  @AfterEach
  void nothingIsHeld() {
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private Path nextFile() {
    return directory.resolve(Integer.toString(names.incrementAndGet()));
  }

  private static byte valueAt(long position) {
    return (byte) (position * 31 + (position >> 13));
  }

  private void append(SpoolLog log, int count) throws IOException {
    ByteBuf bytes = allocator.directBuffer(count, count);
    try {
      for (int i = 0; i < count; i++) {
        bytes.writeByte(valueAt(added + i));
      }
      log.append(bytes);
      added += count;
    } finally {
      bytes.release();
    }
  }

  private void take(SpoolLog log) throws Exception {
    ByteBuf bytes = log.next(allocator);
    for (; bytes.isReadable(); taken++) {
      byte found = bytes.readByte();
      if (found != valueAt(taken)) { // an assertion for each of 40 million bytes takes seconds
        assertThat(found).as("at %d", taken).isEqualTo(valueAt(taken));
      }
    }
    bytes.release();
  }

  private long openFiles() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(one -> targetOf(one).startsWith(directory.toString())).count();
    }
  }

  private static String targetOf(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // it was that of the list itself
    }
  }

  private long files() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.count();
    }
  }

  @Test
  void manyFilesNeedNoDescriptors() throws Exception {
    try (SpoolLog log = new SpoolLog(this::nextFile)) {
      while (added < 5L * SpoolLog.FILE_BYTES) {
        append(log, BUFFER);
      }
      assertThat(files()).isEqualTo(5);
      assertThat(openFiles()).isZero();

      while (!log.isEmpty()) {
        take(log);
        assertThat(openFiles()).isZero();
      }
      assertThat(taken).isEqualTo(added);
      assertThat(files()).isZero();
    }
  }

  /** Its caller appends it again, and it must not be there twice. */
  @Test
  void ofABufferThatCannotBeAppendedNothingIsThere() throws Exception {
    int[] made = {0};
    Supplier<Path> onlyOne =
        () -> made[0]++ == 0 ? nextFile() : directory.resolve("no/such/directory");
    try (SpoolLog log = new SpoolLog(onlyOne)) {
      while (added < SpoolLog.FILE_BYTES - SpoolLog.MOST_PIECE) {
        append(log, SpoolLog.MOST_PIECE);
      }
      append(log, 3 * SpoolLog.MOST_PIECE); // fills the file, and does not fit
      assertThat(catchThrowable(() -> append(log, 3 * SpoolLog.MOST_PIECE)))
          .isInstanceOf(NoSuchFileException.class);

      while (!log.isEmpty()) {
        take(log);
      }
      assertThat(taken).isEqualTo(added);
    }
  }
}
