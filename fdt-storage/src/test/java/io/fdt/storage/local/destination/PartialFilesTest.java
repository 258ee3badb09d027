package io.fdt.storage.local.destination;

import static io.fdt.core.storage.DestinationTreeContract.CONTENTS;
import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.storage.local.destination.Partials.BLOCK;
import static io.fdt.storage.local.destination.Partials.BLOCKS;
import static io.fdt.storage.local.destination.Partials.NAME;
import static io.fdt.storage.local.destination.Partials.VERSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.SharedFile;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.LinuxOnly;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.destination.partial.PartialJournal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The trustworthy parts of an interrupted file. */
class PartialFilesTest extends LocalFileTest {
  private LocalDestination destination;
  private DestinationDirectory directory;
  private Path out;

  @BeforeEach
  void open() throws Exception {
    out = sandbox.directory("out");
    destination = LocalDestination.trusted(sandbox.bytePath("out"), true);
    directory = destination.open(List.of(CONTENTS)).directory();
  }

  @AfterEach
  void close() {
    destination.close();
  }

  private PartialFile found() throws Exception {
    return directory.findPartial(NAME, VERSION);
  }

  private static List<Long> starts(PartialFile found) {
    return found.kept().stream().map(range -> range.start() / BLOCK).toList();
  }

  private static long keptBytes(PartialFile found) {
    return found.kept().stream().mapToLong(CheckedRange::length).sum();
  }

  @Test
  void whatWasWrittenIsKeptAndTheRestCompletesIt() throws Exception {
    Partials.interrupted(directory, 0, 1, 5);

    PartialFile found = found();
    assertThat(starts(found)).containsExactly(0L, 5L);
    assertThat(keptBytes(found)).isEqualTo(3L * BLOCK);
    try (DestinationDirectory.PendingFile file =
        directory.create(NAME, FileShape.of(VERSION, found.kept()))) {
      Partials.write(file, 2, 3, 4, 6, 7);
      file.publish(0644, MODIFIED, Durability.NONE);
    }

    assertWhole();
    assertThat(out.toFile().list()).as("the journal is gone").containsExactly("large");
  }

  private void assertWhole() throws Exception {
    byte[] content = Files.readAllBytes(out.resolve("large"));
    for (int i = 0; i < BLOCKS; i++) {
      byte[] block = new byte[BLOCK];
      Partials.block(i).readBytes(block);
      assertThat(Arrays.equals(content, i * BLOCK, (i + 1) * BLOCK, block, 0, BLOCK))
          .as("block %d", i)
          .isTrue();
    }
  }

  @Test
  void afterAStartOfTheSystemOnlyWhatMatchesIsKept() throws Exception {
    Partials.interrupted(directory, 0, 2, 4, 6);
    try (RandomAccessFile part = new RandomAccessFile(Partials.part(out).toFile(), "rw")) {
      part.seek(2L * BLOCK + 12_345);
      part.write(new byte[4096]); // a page that had not reached the device
    }
    assertThat(starts(found())).as("as long as the system runs").containsExactly(0L, 2L, 4L, 6L);

    Partials.startAnew(Partials.journal(out));

    assertThat(starts(found())).containsExactly(0L, 4L, 6L);
  }

  @Test
  void afterAStartOfTheSystemATruncatedFileIsNotTrusted() throws Exception {
    Partials.interrupted(directory, 0, 3, 7);
    Partials.startAnew(Partials.journal(out));
    try (RandomAccessFile part = new RandomAccessFile(Partials.part(out).toFile(), "rw")) {
      part.setLength(4L * BLOCK - 1);
    }

    assertThat(starts(found())).containsExactly(0L);
  }

  /**
   * Whatever part of the data, the records and the file's length a power loss discards: kept ranges
   * were written, and completing them gives the right file.
   */
  @Test
  void nothingThatALossOfPowerForgotIsTrusted() throws Exception {
    long seed = 20261121;
    long lost = 0;
    for (int round = 0; round < 30; round++, seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int[] written = IntStream.range(0, BLOCKS).filter(i -> random.nextBoolean()).toArray();
      Partials.interrupted(directory, written);
      if (written.length == 0) {
        continue;
      }
      lost += losePower(random);

      PartialFile found = found();

      long from = seed;
      for (CheckedRange range : found.kept()) {
        for (long at = range.start(); at < range.end(); at += BLOCK) {
          int number = Math.toIntExact(at / BLOCK);
          assertThat(written).as("seed %d", from).contains(number);
          assertThat(bytesOnDisk(number)).as("seed %d", from).isEqualTo(Partials.block(number));
        }
      }
      try (DestinationDirectory.PendingFile file =
          directory.create(NAME, FileShape.of(VERSION, found.kept()))) {
        for (int number = 0; number < BLOCKS; number++) {
          CheckedRange range = Partials.range(number);
          if (found.kept().stream()
              .noneMatch(kept -> kept.start() <= range.start() && range.end() <= kept.end())) {
            Partials.write(file, number);
          }
        }
        file.publish(0644, MODIFIED, Durability.NONE);
      }
      assertWhole();
      Files.delete(out.resolve("large"));
    }
    assertThat(lost).as("pages lost in all").isGreaterThan(500);
  }

  private ByteBuf bytesOnDisk(int number) throws Exception {
    byte[] bytes = new byte[BLOCK];
    try (RandomAccessFile part = new RandomAccessFile(Partials.part(out).toFile(), "r")) {
      part.seek((long) number * BLOCK);
      part.readFully(bytes);
    }
    return Unpooled.wrappedBuffer(bytes);
  }

  /** Pages of either file become zeros, ends are cut off; the number of pages that were lost. */
  private long losePower(SplittableRandom random) throws Exception {
    Path journal = Partials.journal(out);
    Partials.startAnew(journal);
    long pages = 0;
    try (RandomAccessFile part = new RandomAccessFile(Partials.part(out).toFile(), "rw");
        RandomAccessFile records = new RandomAccessFile(journal.toFile(), "rw")) {
      for (int n = random.nextInt(200); n > 0; n--, pages++) {
        part.seek(random.nextLong(part.length() / 4096) * 4096);
        part.write(new byte[4096]);
      }
      if (random.nextInt(4) == 0) {
        part.setLength(random.nextLong(part.length()));
      }
      int first = Partials.recordsAt(journal);
      switch (random.nextInt(4)) {
        case 0 -> records.setLength(first + random.nextLong(records.length() - first + 1));
        case 1 -> {
          records.seek(first + random.nextLong(records.length() - first));
          records.write(0);
        }
        case 2 -> records.setLength(random.nextLong(first));
        default -> {} // all of it had reached the device
      }
    }
    return pages;
  }

  @Test
  void aTornLastRecordCostsOnlyItself() throws Exception {
    Partials.interrupted(directory, 0, 2, 4);
    Path journal = Partials.journal(out);
    byte[] whole = Files.readAllBytes(journal);
    int recordsAt = Partials.recordsAt(journal);
    for (int length = 0; length <= whole.length; length++) {
      Files.write(journal, Arrays.copyOf(whole, length));
      int records = Math.max(0, length - recordsAt) / Partials.recordLength();
      assertThat(found().kept()).as("%d of %d bytes", length, whole.length).hasSize(records);
    }
  }

  @Test
  void noBitOfAJournalCanFlipUnnoticed() throws Exception {
    Partials.interrupted(directory, 0, 2, 4);
    Path journal = Partials.journal(out);
    byte[] whole = Files.readAllBytes(journal);
    List<CheckedRange> all = found().kept();
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      Files.write(journal, flipped);
      List<CheckedRange> kept = found().kept();
      assertThat(kept).as("bit %d", bit).hasSizeLessThan(3);
      assertThat(all).as("bit %d", bit).containsAll(kept);
    }
  }

  @Test
  void aJournalOfAnotherVersionGivesOneClearMessage() throws Exception {
    Partials.interrupted(directory, 0);
    byte[] journal = Files.readAllBytes(Partials.journal(out));
    journal[11]++;
    Files.write(Partials.journal(out), journal);

    PartialFile found = found();

    assertThat(found.kept()).isEmpty();
    assertThat(found.note()).contains("large").contains("another version of this program");
    Partials.interrupted(directory, 1);
    assertThat(starts(found())).as("it starts over").containsExactly(1L);
  }

  @ParameterizedTest
  @MethodSource("otherVersions")
  void anotherVersionOfTheSourceStartsOver(SourceVersion other) throws Exception {
    Partials.interrupted(directory, 0);

    PartialFile found = directory.findPartial(NAME, other);

    assertThat(found.kept()).isEmpty();
    assertThat(found.note()).contains("the source has changed");
    // Nor where the source changes while what was found waits to be continued.
    List<CheckedRange> kept = found().kept();
    assertThat(kept).isNotEmpty();
    DestinationTreeContract.assertFails(
        () -> directory.create(NAME, FileShape.of(other, kept)), ErrorCode.IN_USE);
    DestinationTreeContract.assertFails(
        () -> directory.create(NAME, new FileShape(other.size(), true, other, kept)),
        ErrorCode.IN_USE);
  }

  /** Each differs from the version of the journal in one thing. */
  static Stream<SourceVersion> otherVersions() {
    long size = VERSION.size();
    long identity = VERSION.stamp().identity();
    Timestamp modified = VERSION.modified();
    return Stream.of(
        new SourceVersion(size + 1, modified, identity),
        new SourceVersion(size - 1, modified, identity),
        new SourceVersion(2 * size, modified, identity),
        new SourceVersion(size, new Timestamp(modified.seconds() + 1, modified.nanos()), identity),
        new SourceVersion(size, new Timestamp(modified.seconds(), modified.nanos() + 1), identity),
        new SourceVersion(size, modified, identity + 1),
        new SourceVersion(size, modified, 0));
  }

  /** An existing file may have other content with the same size and time. */
  @ParameterizedTest
  @MethodSource("doubtfulStamps")
  void whatIsThereIsDoubtfulWhereTheSourceIsNotProvenUnchanged(FileStamp before, FileStamp now)
      throws Exception {
    SourceVersion first = new SourceVersion(VERSION.size(), VERSION.modified(), before);
    SourceVersion second = new SourceVersion(VERSION.size(), VERSION.modified(), now);
    Partials.interruptedOf(first, directory, 0);

    PartialFile found = directory.findPartial(NAME, second);

    assertThat(found.kept()).isEmpty();
    assertThat(found.doubtful()).isNotEmpty();
    // The journal keeps the first version until the ranges are known to be equal.
    assertThat(directory.findPartial(NAME, second)).isEqualTo(found);
    directory.create(NAME, FileShape.of(second, found.doubtful())).close();
    boolean isOld = now.isOld();
    assertThat(directory.findPartial(NAME, second).kept().isEmpty()).isEqualTo(!isOld);
  }

  static Stream<Arguments> doubtfulStamps() {
    Timestamp one = new Timestamp(1_700_000_001L, 0);
    Timestamp other = new Timestamp(1_700_000_001L, 1);
    return Stream.of(
        Arguments.of(new FileStamp(77, one, true), new FileStamp(77, other, true)),
        Arguments.of(new FileStamp(77, one, false), new FileStamp(77, one, true)),
        Arguments.of(new FileStamp(77, null, false), new FileStamp(77, one, true)),
        Arguments.of(new FileStamp(77, one, true), new FileStamp(77, null, false)),
        Arguments.of(new FileStamp(77, null, false), new FileStamp(77, null, false)));
  }

  /** As with too many open files: what could be continued must not be taken for nothing. */
  @LinuxOnly("another message")
  @Test
  void aJournalThatCannotBeOpenedIsAnErrorAndNoneThatIsMissing() throws Exception {
    Partials.interrupted(directory, 0);
    Path journal = Partials.journal(out);
    Path aside = out.resolve("aside");
    Files.move(journal, aside);
    assertThat(found()).isEqualTo(PartialFile.NONE);
    try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.bind(UnixDomainSocketAddress.of(journal)); // which cannot be opened

      assertThatThrownBy(this::found)
          .isInstanceOf(FdtException.class)
          .hasMessageContaining("cannot read the journal")
          .hasMessageContaining(journal.getFileName().toString());
    }
    Files.move(aside, journal, StandardCopyOption.REPLACE_EXISTING);
    assertThat(starts(found())).containsExactly(0L);
  }

  @Test
  void aJournalOfAnotherFileIsNotUsed() throws Exception {
    Partials.interrupted(directory, 0);
    FileName other = FileName.of("other");
    long number = TemporaryName.number(other);
    Files.move(
        Partials.journal(out), out.resolve(TemporaryName.Kind.JOURNAL.name(number).toString()));
    Files.move(Partials.part(out), out.resolve(TemporaryName.of(other).toString()));

    assertThat(directory.findPartial(other, VERSION)).isEqualTo(PartialFile.NONE);
  }

  @Test
  void aJournalIsBoundedWhateverOrderBlocksComeIn() throws Exception {
    int records = 3 * PartialJournal.MAX_RECORDS;
    SourceVersion version = new SourceVersion(4L * records, VERSION.modified(), VERSION.stamp());
    try (DestinationDirectory.PendingFile file =
        directory.create(NAME, FileShape.of(version, List.of()))) {
      file.write(Unpooled.wrappedBuffer(new byte[1]), version.size() - 1);
      for (int i = 0; i < records; i++) {
        file.keep(new CheckedRange(4L * i, 4L * i + 2, 0)); // no two touch
      }
      assertThat(Files.size(Partials.journal(out))).isLessThanOrEqualTo(PartialJournal.MAX_LENGTH);
      for (int i = 0; i < records; i++) {
        file.keep(new CheckedRange(4L * i + 2, 4L * i + 4, 0)); // now all do
      }
      assertThat(Files.size(Partials.journal(out))).isLessThanOrEqualTo(PartialJournal.MAX_LENGTH);
    }
    PartialFile found = directory.findPartial(NAME, version);
    assertThat(keptBytes(found)).isGreaterThan(version.size() / 2);
  }

  /** Whether another machine's bytes are on the device is unknown. */
  @Test
  void whatDataNodesMayHaveWrittenIsReadBeforeItIsContinued() throws Exception {
    try (DestinationDirectory.PendingFile file =
        directory.create(NAME, FileShape.of(VERSION, List.of()))) {
      assertThat(((SharedFile) file).share().inode()).isPositive();
      Partials.write(file, 0, 2);
    }
    try (FileChannel lost = FileChannel.open(Partials.part(out), StandardOpenOption.WRITE)) {
      lost.write(ByteBuffer.allocate(4096), 0);
    }
    assertThat(directory.findPartial(NAME, VERSION).kept()).containsExactly(Partials.range(2));
  }
}
