package io.fdt.core.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.PlainHash;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Range;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Hashes in order of bytes that come in any order. */
class ArrivalHashTest {
  private static final int SIZE = (3 << 20) + 12_345;
  private static final int BLOCK = 100_000;

  private final AtomicLong progress = new AtomicLong();

  private static byte[] content(long seed) {
    byte[] content = new byte[SIZE];
    new Random(seed).nextBytes(content);
    Arrays.fill(content, 1 << 20, 2 << 20, (byte) 0);
    return content;
  }

  /** All bytes in order. */
  private static byte[] plain(Checksum checksum, byte[] content) {
    PlainHash hash = new PlainHash(checksum, content.length);
    hash.update(Unpooled.wrappedBuffer(content));
    return hash.finish();
  }

  private static ArrivalHash.Content of(byte[] content) {
    return (target, length, offset) -> target.writeBytes(content, Math.toIntExact(offset), length);
  }

  private static void add(ArrivalHash hash, byte[] content, int offset) throws FdtException {
    int length = Math.min(BLOCK, content.length - offset);
    ByteBuf block = Unpooled.wrappedBuffer(content, offset, length);
    hash.add(block, 0, length, offset, of(content));
  }

  private static List<Integer> offsets(long seed) {
    List<Integer> offsets = new ArrayList<>();
    for (int offset = 0; offset < SIZE; offset += BLOCK) {
      offsets.add(offset);
    }
    Collections.shuffle(offsets, new Random(seed));
    return offsets;
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void anyOrderGivesTheHashOfTheWhole(Checksum checksum) throws FdtException {
    for (long seed = 0; seed < 5; seed++) {
      byte[] content = content(seed);
      ArrivalHash hash = new ArrivalHash(checksum, SIZE, progress::addAndGet);
      List<Integer> offsets = offsets(seed);
      for (int i = 0; i < offsets.size(); i++) {
        assertThat(hash.isComplete()).as("before block %d, seed %d", i, seed).isFalse();
        add(hash, content, offsets.get(i));
        add(hash, content, offsets.get(i / 2)); // once more, which changes nothing
      }
      assertThat(hash.isComplete()).as("seed %d", seed).isTrue();
      assertThat(hash.finish(of(content))).as("seed %d", seed).isEqualTo(plain(checksum, content));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void holesAreNotRead(Checksum checksum) throws FdtException {
    byte[] content = content(1);
    Range hole = new Range(1 << 20, 2 << 20);
    ArrivalHash hash = new ArrivalHash(checksum, SIZE, progress::addAndGet);
    hash.addHole(hole);

    byte[] value =
        hash.finish(
            (target, length, offset) -> {
              assertThat(offset + length <= hole.start() || offset >= hole.end()).isTrue();
              target.writeBytes(content, Math.toIntExact(offset), length);
            });

    assertThat(value).isEqualTo(plain(checksum, content));
    assertThat(progress.get()).isEqualTo(SIZE);
  }

  @Test
  void whenAllThreadsAreBackAllIsHashed() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (long seed = 0; seed < 20; seed++) {
        byte[] content = content(seed);
        ArrivalHash hash = new ArrivalHash(Checksum.XXH3, SIZE, progress::addAndGet);
        List<Future<?>> blocks = new ArrayList<>();
        for (int offset : offsets(seed)) {
          blocks.add(
              threads.submit(
                  () -> {
                    add(hash, content, offset);
                    return null;
                  }));
        }
        for (Future<?> block : blocks) {
          block.get(1, TimeUnit.MINUTES);
        }
        assertThat(hash.isComplete()).as("seed %d", seed).isTrue();
        assertThat(hash.finish(of(content))).isEqualTo(plain(Checksum.XXH3, content));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Small blocks that nearly come in order: the threads take turns at hashing all the time. */
  @Test
  void oneThreadHashesAtATime() throws Exception {
    int threadCount = 4;
    int block = 16;
    byte[] content = Arrays.copyOf(content(3), 60_000);
    byte[] expected = plain(Checksum.XXH3, content);
    ExecutorService threads = Executors.newFixedThreadPool(threadCount);
    try {
      for (int round = 0; round < 40; round++) {
        ArrivalHash hash = new ArrivalHash(Checksum.XXH3, content.length, progress::addAndGet);
        AtomicInteger next = new AtomicInteger();
        List<Future<?>> workers = new ArrayList<>();
        for (int thread = 0; thread < threadCount; thread++) {
          workers.add(
              threads.submit(
                  () -> {
                    for (int n = next.getAndIncrement();
                        n * block < content.length;
                        n = next.getAndIncrement()) {
                      int offset = (n ^ 1) * block; // two by two in the wrong order
                      ByteBuf bytes = Unpooled.wrappedBuffer(content, offset, block);
                      hash.add(bytes, 0, block, offset, of(content));
                    }
                    return null;
                  }));
        }
        for (Future<?> worker : workers) {
          worker.get(1, TimeUnit.MINUTES);
        }
        assertThat(hash.isComplete()).as("round %d", round).isTrue();
        assertThat(hash.finish(of(content))).as("round %d", round).isEqualTo(expected);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void anEmptyFileHasTheHashOfNothing() throws FdtException {
    ArrivalHash hash = new ArrivalHash(Checksum.SHA256, 0, progress::addAndGet);

    assertThat(hash.isComplete()).isTrue();
    assertThat(HexFormat.of().formatHex(hash.finish(of(new byte[0])))).startsWith("e3b0c44298fc");
  }

  @Test
  void whatCannotBeReadAgainIsToldAndNothingIsMadeUp() throws FdtException {
    byte[] content = content(2);
    ArrivalHash hash = new ArrivalHash(Checksum.MD5, SIZE, progress::addAndGet);
    ArrivalHash.Content broken =
        (target, length, offset) -> {
          throw new FdtException(ErrorCode.IO, "gone");
        };

    assertThatThrownBy(() -> hash.finish(broken)).hasMessage("gone");
    assertThat(hash.isComplete()).isFalse();
    assertThat(hash.finish(of(content))).isEqualTo(plain(Checksum.MD5, content));
  }

  @Test
  void aHashThatIsCancelledEndsSoon() {
    ArrivalHash hash = new ArrivalHash(Checksum.MD5, 1L << 50, progress::addAndGet);
    hash.addHole(new Range(0, 1L << 50));
    hash.cancel();

    assertThatThrownBy(() -> hash.finish(of(new byte[0]))).hasMessage("hashing was cancelled");
  }
}
