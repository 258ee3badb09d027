package io.fdt.server.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.FdtException;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.SessionId;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolDigestsTest {
  private static final SessionId PLACE = SessionId.of(new byte[SessionId.LENGTH]);
  private static final long DEADLINE_SECONDS = 60;

  @TempDir Path directory;
  private Spool spool;
  private AutoCloseable opened;
  private SpoolDigests digests;

  @BeforeEach
  void open() throws Exception {
    spool = new Spool(directory, ByteSize.ofBytes(1 << 20));
    opened = spool.open();
    digests = new SpoolDigests(spool, place -> {});
  }

  @AfterEach
  void close() throws Exception {
    opened.close();
  }

  private static byte[] digest(int file) {
    return new byte[] {(byte) file, (byte) (file >> 8)};
  }

  @Test
  void theDigestsOfManyFilesStayOnTheDisk() throws Exception {
    int files = 20_000;
    for (int i = 0; i < files; i++) {
      digests.add(PLACE, i, digest(i));
    }

    SpoolDigests.Known known = digests.read(PLACE);

    for (int i = 0; i < files; i += 97) {
      assertThat(known.has(i, digest(i))).isTrue();
      assertThat(known.has(i, digest(i + 1))).isFalse();
    }
    assertThat(spool.bytesOfDigests(PLACE.toString())).isEqualTo(8L * files);
    assertThat(spool.records("")).containsExactly(PLACE + SpoolDigests.SUFFIX);
    Files.delete(spool.record(PLACE + SpoolDigests.SUFFIX));
    assertThatThrownBy(() -> known.has(1, digest(1))).isInstanceOf(FdtException.class);
  }

  /** Sessions of others are on the same event loop. */
  @Test
  void aDiskThatHangsDoesNotHoldUpWhatComes() throws Exception {
    Path file = spool.record(PLACE + SpoolDigests.SUFFIX);
    Process made = new ProcessBuilder("mkfifo", file.toString()).inheritIO().start();
    assertThat(made.waitFor()).isZero();
    digests.add(PLACE, 5, digest(0));
    CountDownLatch begins = new CountDownLatch(1);
    CompletableFuture<Void> written =
        CompletableFuture.runAsync(
            () -> {
              begins.countDown();
              assertThatThrownBy(() -> digests.write(PLACE)).isInstanceOf(FdtException.class);
            });
    begins.await();
    CompletableFuture<Void> added =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 1; i < 5000; i++) {
                digests.add(PLACE, 5, digest(i));
              }
            });
    added.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    try (FileChannel other =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      assertThat(other.isOpen()).isTrue();
      written.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    Files.delete(file);
    SpoolDigests.Known known = digests.read(PLACE);
    for (int i = 0; i < 5000; i++) {
      assertThat(known.has(5, digest(i))).isTrue();
    }
    assertThat(known.has(6, digest(0))).isFalse();
  }
}
