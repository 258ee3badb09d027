package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Delta;
import io.fdt.core.model.FileName;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Timestamp;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.memory.MemoryStorage;
import io.fdt.core.unit.ByteSize;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that replace another version of themselves. */
class DeltaTest {
  private static final int MIB = 1 << 20;
  private static final int PAGE = 4 << 10;
  private static final FileName NAME = FileName.of("file");
  private static final Timestamp OLD = new Timestamp(1_600_000_000L, 0);
  private static final Timestamp NEW = new Timestamp(1_700_000_000L, 0);

  private final MemoryStorage source = new MemoryStorage();
  private final MemoryStorage destination = new MemoryStorage();

  /** Copies the file; returns the figures of both ends, which agree. */
  private TransferFigures copy(byte[] before, byte[] after, Checksum checksum, Delta delta)
      throws Exception {
    return copy(before, after, 64 << 10, builder -> builder.checksum(checksum).delta(delta));
  }

  private TransferFigures copy(
      byte[] before, byte[] after, int block, UnaryOperator<TransferSpec.Builder> options)
      throws Exception {
    source.put(NAME, after, NEW);
    destination.put(NAME, before, OLD);
    TransferSpec spec =
        options
            .apply(TransferSpec.builder())
            .source("/" + NAME)
            .destination(BytePath.of("/"))
            .blockSize(ByteSize.ofBytes(block))
            .build();
    try (TestTransfer transfer =
        new TestTransfer(
            true,
            spec,
            new UnpooledByteBufAllocator(true),
            source.source(spec),
            destination.destination(spec, OpenFileLimit.NONE))) {
      transfer.dial(3);
      transfer.awaitGoodEnd();
      assertThat(destination.contentOf(NAME.toString())).isEqualTo(after);
      TransferFigures sent = transfer.sender.session().progress().figures();
      TransferFigures received = transfer.receiver.session().progress().figures();
      assertThat(received.bytesMatched()).isEqualTo(sent.bytesMatched());
      assertThat(received.bytesDone()).isEqualTo(sent.bytesDone());
      assertThat(sent.bytesDone() + sent.bytesMatched()).isEqualTo(after.length);
      assertThat(sent.bytesTotal()).isEqualTo(sent.bytesDone());
      assertThat(received.bytesTotal()).isEqualTo(sent.bytesDone());
      return received;
    }
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @Test
  void onlyTheChangedPagesAreSent() throws Exception {
    byte[] before = random(5 * MIB + 1000);
    byte[] after = before.clone();
    after[0]++;
    after[2 * MIB + 3 * PAGE + 17]++;
    after[2 * MIB + 4 * PAGE]++;
    after[after.length - 1]++;

    assertThat(copy(before, after, Checksum.CRC32C, Delta.ALWAYS).bytesDone())
        .isEqualTo(3 * PAGE + 1000);
  }

  @Test
  void afterAComparisonOfDigestsTheChangedPagesAreSent() throws Exception {
    byte[] before = random(3 * MIB);
    byte[] after = before.clone();
    after[MIB]++;

    TransferFigures figures =
        copy(
            before,
            after,
            64 << 10,
            options ->
                options.delta(Delta.ALWAYS).sync(new SyncRule(SyncRule.Level.CHECKSUM, false)));
    assertThat(figures.bytesDone()).isEqualTo(PAGE);
  }

  /** With blocks of 16 MiB the file would be sent whole with others. */
  @ParameterizedTest
  @ValueSource(ints = {4 << 10, MIB, 16 * MIB, 64 * MIB})
  void theSizeOfBlocksMakesNoDifference(int block) throws Exception {
    byte[] before = random(3 * MIB);
    byte[] after = before.clone();
    for (int at = MIB; at < 2 * MIB; at++) {
      after[at]++;
    }
    assertThat(copy(before, after, block, options -> options.delta(Delta.ALWAYS)).bytesDone())
        .isEqualTo(MIB);
  }

  @Test
  void aFileOfWhichOnlyTheTimeHasChangedIsNotSent() throws Exception {
    byte[] same = random(3 * MIB + 5);

    assertThat(copy(same, same.clone(), Checksum.CRC32C, Delta.ALWAYS).bytesDone()).isZero();
  }

  @Test
  void ofAFileThatHasGrownTheNewEndIsSent() throws Exception {
    byte[] after = random(3 * MIB + 7 * PAGE);

    assertThat(
            copy(Arrays.copyOf(after, 3 * MIB + 100), after, Checksum.CRC32C, Delta.ALWAYS)
                .bytesDone())
        .isEqualTo(7 * PAGE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 700, 4096, 300_000})
  void afterAnInsertionOnlyTheInsertedBytesAreSent(int length) throws Exception {
    byte[] before = random(6 * MIB);
    int at = 2 * MIB + 12_345;
    byte[] after = joined(Arrays.copyOf(before, at), random(length), at, before);

    assertThat(copy(before, after, Checksum.CRC32C, Delta.ALWAYS).bytesDone())
        .isBetween((long) length, length + 2L * PAGE);
  }

  @Test
  void afterARemovalNothingIsSent() throws Exception {
    byte[] before = random(8 * MIB);
    int at = 3 * MIB + 17;
    byte[] after = joined(Arrays.copyOf(before, at), new byte[0], at + MIB + 5, before);

    assertThat(copy(before, after, Checksum.CRC32C, Delta.ALWAYS).bytesDone())
        .isBetween(1L, (long) PAGE);
  }

  @Test
  void contentThatHasMovedTwiceIsFound() throws Exception {
    byte[] before = random(9 * MIB);
    byte[] inserted = joined(Arrays.copyOf(before, 100), random(12_345), 100, before);
    byte[] after = joined(Arrays.copyOf(inserted, 5 * MIB), new byte[0], 5 * MIB + 99, inserted);

    assertThat(copy(before, after, Checksum.CRC32C, Delta.ALWAYS).bytesDone())
        .isLessThan(12_345L + 5 * PAGE);
  }

  @ParameterizedTest
  @CsvSource({
    "2, overwritten",
    "5, overwritten",
    "2, truncated",
    "5, truncated",
    "5, replaced",
    "2, removed",
    "5, removed",
    "1, unreadable",
    "5, unreadable"
  })
  void anOldFileThatChangesWhileItIsReadDoesNoHarm(int read, String change) throws Exception {
    byte[] before = random(8 * MIB);
    byte[] after = joined(Arrays.copyOf(before, 3 * MIB), random(9999), 3 * MIB, before);
    AtomicInteger reads = new AtomicInteger();
    destination.beforeRead(
        () -> {
          int now = reads.incrementAndGet();
          if (change.equals("unreadable") && now >= read) {
            throw new FdtException(ErrorCode.IO, "planned");
          }
          if (now == read) {
            change(change);
          }
        });

    TransferFigures figures = copy(before, after, Checksum.CRC32C, Delta.ALWAYS);

    assertThat(reads.get()).isGreaterThanOrEqualTo(read);
    assertThat(figures.bytesDone()).isGreaterThan(9999 + 2 * PAGE);
  }

  /** The pages have two CRCs in turn, so that each weak hash is found at other bytes. */
  @Test
  void pagesThatAreMadeToHaveTheSameWeakHashesAreSentWhereTheyDiffer() throws Exception {
    byte[] before = forged(4 * MIB);
    byte[] others = forged(3 * MIB);
    byte[] after = joined(others, random(10), 0, before);

    assertThat(copy(before, after, Checksum.CRC32C, Delta.ALWAYS).bytesDone())
        .isGreaterThanOrEqualTo(others.length);
  }

  private static byte[] forged(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    for (int page = 0; page < length / PAGE; page++) {
      forge(bytes, page * PAGE, page % 2 == 0 ? 0x12345678 : 0x0BADCAFE);
    }
    return bytes;
  }

  /** Chooses the last four bytes of a page for a CRC32C. */
  private static void forge(byte[] bytes, int page, int wanted) {
    int[] table = new int[256];
    for (int i = 0; i < table.length; i++) {
      table[i] = i;
      for (int bit = 0; bit < 8; bit++) {
        table[i] = (table[i] >>> 1) ^ (0x82F63B78 & -(table[i] & 1));
      }
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes, page, PAGE - 4);
    int state = ~wanted;
    for (int step = 0; step < 4; step++) {
      int index = 0;
      while (table[index] >>> 24 != state >>> 24) {
        index++;
      }
      state = (state ^ table[index]) << 8 | index;
    }
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(page + PAGE - 4, state ^ ~(int) crc.getValue());
    crc.reset();
    crc.update(bytes, page, PAGE);
    assertThat((int) crc.getValue()).isEqualTo(wanted);
  }

  private void change(String change) {
    switch (change) {
      case "overwritten" -> destination.rewrite(NAME, random(8 * MIB - 1));
      case "truncated" -> destination.rewrite(NAME, new byte[MIB / 2]);
      case "replaced" -> destination.put(NAME, random(7 * MIB), OLD);
      case "removed" -> destination.remove(NAME);
      default -> {}
    }
  }

  @Test
  void withDigestsOfChunksWholeChunksAreFound() throws Exception {
    byte[] before = random(8 * MIB);
    int at = 2 * MIB + 5;
    byte[] after = joined(Arrays.copyOf(before, at), random(999), at, before);

    assertThat(copy(before, after, Checksum.XXH3, Delta.ALWAYS).bytesDone()).isEqualTo(MIB);
  }

  @Test
  void aFileThatWasCutOffIsNotSent() throws Exception {
    byte[] before = random(4 * MIB);

    assertThat(
            copy(before, Arrays.copyOf(before, 2 * MIB + 1), Checksum.CRC32C, Delta.ALWAYS)
                .bytesDone())
        .isLessThan(PAGE);
  }

  @ParameterizedTest
  @CsvSource({"OFF, 4194304", "AUTO, 4194304", "ALWAYS, 1048575"})
  void aFileIsSentWholeWhereComparingIsOffOrNotWorthIt(Delta delta, int size) throws Exception {
    byte[] same = random(size);

    assertThat(copy(same, same.clone(), Checksum.CRC32C, delta).bytesDone()).isEqualTo(size);
  }

  @ParameterizedTest
  @EnumSource
  void everyDigestIsThatOfTheWholeFile(Checksum checksum) throws Exception {
    byte[] before = random(4 * MIB + 12_345);
    byte[] after = before.clone();
    after[MIB + 5]++;

    TransferFigures figures = copy(before, after, checksum, Delta.ALWAYS);

    boolean isOfChunks = checksum != Checksum.CRC32C && checksum != Checksum.NONE;
    assertThat(figures.bytesDone()).isEqualTo(isOfChunks ? MIB : PAGE);
  }

  /** A grammar of edits: overwriting, inserting, removing, repeating. */
  @ParameterizedTest
  @EnumSource
  void afterAnyEditsTheCopyIsTheSource(Checksum checksum) throws Exception {
    for (int seed = 1; seed <= 5; seed++) {
      Random random = new Random(seed + checksum.text().hashCode());
      byte[] before = random(MIB + random.nextInt(3 * MIB));
      copy(before, edited(before, random), checksum, Delta.ALWAYS);
    }
  }

  private static byte[] edited(byte[] before, Random random) {
    byte[] bytes = before.clone();
    for (int edits = random.nextInt(5); edits >= 0; edits--) {
      int at = random.nextInt(bytes.length);
      int length = Math.min(1 + random.nextInt(1 << random.nextInt(20)), bytes.length - at);
      byte[] piece = Arrays.copyOfRange(bytes, at, at + length);
      switch (random.nextInt(4)) {
        case 0 -> {
          random.nextBytes(piece);
          System.arraycopy(piece, 0, bytes, at, length);
        }
        case 1 -> bytes = joined(Arrays.copyOf(bytes, at), piece, at, bytes);
        case 2 -> bytes = joined(Arrays.copyOf(bytes, at), new byte[0], at + length, bytes);
        default -> {
          int to = random.nextInt(bytes.length - length + 1);
          System.arraycopy(piece, 0, bytes, to, length);
        }
      }
    }
    return bytes.length == 0 ? new byte[] {1} : bytes;
  }

  /** A start, an insertion, and the rest of some bytes. */
  private static byte[] joined(byte[] start, byte[] inserted, int from, byte[] rest) {
    byte[] all = Arrays.copyOf(start, start.length + inserted.length + rest.length - from);
    System.arraycopy(inserted, 0, all, start.length, inserted.length);
    System.arraycopy(rest, from, all, start.length + inserted.length, rest.length - from);
    return all;
  }
}
