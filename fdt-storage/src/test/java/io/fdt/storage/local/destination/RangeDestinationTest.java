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
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Range;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.LeftoverVisitor;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.LinuxOnly;
import io.fdt.storage.local.LocalFileTest;
import io.fdt.storage.local.destination.replace.StalePartials;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ranges of one file, each written by a destination of its own, and the transfer of the whole. */
class RangeDestinationTest extends LocalFileTest {
  /** Three ranges: blocks 0 to 2, 3 to 5, 6 and 7. */
  private static final FileCut CUT = new FileCut(VERSION.size(), 3L * BLOCK);

  private final List<DestinationTree> opened = new ArrayList<>();
  private DestinationDirectory whole;
  private Path out;

  @BeforeEach
  void open() throws Exception {
    out = sandbox.directory("out");
    whole = open(LocalDestination.trusted(sandbox.bytePath("out"), true));
  }

  @AfterEach
  void close() {
    opened.forEach(DestinationTree::close);
  }

  private DestinationDirectory open(DestinationTree tree) throws FdtException {
    opened.add(tree);
    return tree.open(List.of(CONTENTS)).directory();
  }

  /** A transfer of its own. */
  private DestinationDirectory range(int index) throws FdtException {
    return range(CUT, index);
  }

  private DestinationDirectory range(FileCut cut, int index) throws FdtException {
    return open(
        RangeDestination.of(
            LocalDestination.trusted(sandbox.bytePath("out"), true), cut.part(index)));
  }

  private static SourceVersion versionOf(int index) {
    return new SourceVersion(CUT.range(index).length(), VERSION.modified(), VERSION.stamp());
  }

  private static PendingFile begin(DestinationDirectory range, int index) throws FdtException {
    PartialFile found = range.findPartial(NAME, versionOf(index));
    return range.create(NAME, FileShape.of(versionOf(index), found.kept()));
  }

  /** Writes blocks of a range, which are counted from its start. */
  private static void write(PendingFile file, int index, int... blocks) throws FdtException {
    int first = Math.toIntExact(CUT.range(index).start() / BLOCK);
    for (int block : blocks) {
      file.write(Partials.block(first + block), (long) block * BLOCK);
      int crc = Partials.range(first + block).crc();
      file.keep(new CheckedRange((long) block * BLOCK, (block + 1L) * BLOCK, crc));
    }
  }

  private void copy(int index, int... blocks) throws FdtException {
    try (PendingFile file = begin(range(index), index)) {
      write(file, index, blocks);
      file.publish(0644, MODIFIED, Durability.NONE);
    }
  }

  private void copyWhole(int... blocks) throws FdtException {
    PartialFile found = whole.findPartial(NAME, VERSION);
    try (PendingFile file = whole.create(NAME, FileShape.of(VERSION, found.kept()))) {
      Partials.write(file, blocks);
      file.publish(0644, MODIFIED, Durability.NONE);
    }
  }

  private List<Long> keptOfWhole() throws FdtException {
    return whole.findPartial(NAME, VERSION).kept().stream()
        .flatMap(kept -> List.of(kept.start() / BLOCK, kept.end() / BLOCK).stream())
        .toList();
  }

  private void assertOnlyTheFileIsThere() throws Exception {
    assertThat(out.toFile().list()).containsExactly("large");
    byte[] expected = new byte[BLOCKS * BLOCK];
    for (int i = 0; i < BLOCKS; i++) {
      Partials.block(i).readBytes(expected, i * BLOCK, BLOCK);
    }
    assertThat(Files.readAllBytes(out.resolve("large"))).isEqualTo(expected);
  }

  private static void assertInUse(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IN_USE));
  }

  @Test
  void rangesInAnyOrderMakeTheFileAndLeaveNothing() throws Exception {
    copy(2, 1, 0);
    copy(0, 0, 1, 2);
    copy(1, 2, 0, 1);
    assertThat(out.resolve("large")).doesNotExist();
    assertThat(keptOfWhole()).containsExactly(0L, 8L);
    assertThat(whole.findPartial(NAME, VERSION).kept().get(0).crc()).isEqualTo(crcOfAll());

    copyWhole();

    assertOnlyTheFileIsThere();
  }

  private static int crcOfAll() {
    var all = new io.fdt.core.journal.KeptRanges();
    for (int i = 0; i < BLOCKS; i++) {
      all.add(Partials.range(i));
    }
    return all.ranges().get(0).crc();
  }

  @Test
  void rangesAreWrittenAtTheSameTime() throws Exception {
    try (PendingFile one = begin(range(0), 0);
        PendingFile other = begin(range(2), 2)) {
      write(other, 2, 0);
      write(one, 0, 2, 1);
      write(other, 2, 1);
      write(one, 0, 0);
      one.publish(0644, MODIFIED, Durability.NONE);
      other.publish(0644, MODIFIED, Durability.NONE);
    }

    copyWhole(3, 4, 5);

    assertOnlyTheFileIsThere();
  }

  /** As when all workers begin with the same file. */
  @Test
  void manyMayBeginAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CUT.count());
    try {
      for (int round = 0; round < 5; round++) {
        CyclicBarrier start = new CyclicBarrier(CUT.count());
        List<Future<?>> all = new ArrayList<>();
        for (int index = 0; index < CUT.count(); index++) {
          int own = index;
          DestinationDirectory range = range(own);
          all.add(
              threads.submit(
                  () -> {
                    int unused = start.await(30, TimeUnit.SECONDS);
                    try (PendingFile file = begin(range, own)) {
                      write(file, own, own == 2 ? new int[] {0, 1} : new int[] {2, 1, 0});
                      file.publish(0644, MODIFIED, Durability.NONE);
                    }
                    return null;
                  }));
        }
        for (Future<?> one : all) {
          assertThat(one.get(60, TimeUnit.SECONDS)).isNull();
        }
        assertThat(keptOfWhole()).containsExactly(0L, 8L);
        copyWhole();
        Files.delete(out.resolve("large"));
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void aRangeHasOneWriter() throws Exception {
    try (PendingFile first = begin(range(1), 1)) {
      write(first, 1, 0);
      assertInUse(() -> begin(range(1), 1));
      write(first, 1, 1, 2);
      first.publish(0644, MODIFIED, Durability.NONE);
    }
    assertThat(range(1).findPartial(NAME, versionOf(1)).isSettled()).isTrue();
    assertThat(keptOfWhole()).containsExactly(3L, 6L);
  }

  @Test
  void theFileGetsNoNameWhileARangeIsWritten() throws Exception {
    copy(0, 0, 1, 2);
    try (PendingFile late = begin(range(1), 1)) {
      assertInUse(() -> copyWhole(3, 4, 5, 6, 7));
      write(late, 1, 0);
    }
    assertThat(out.resolve("large")).doesNotExist();

    copyWhole(4, 5, 6, 7);

    assertOnlyTheFileIsThere();
  }

  @Test
  void noRangeIsWrittenBesideATransferOfTheWhole() throws Exception {
    copy(0, 0, 1, 2);
    PartialFile found = whole.findPartial(NAME, VERSION);
    try (PendingFile all = whole.create(NAME, FileShape.of(VERSION, found.kept()))) {
      assertInUse(() -> range(1).create(NAME, FileShape.of(versionOf(1), List.of())));
      Partials.write(all, 3);
    }
    // It was interrupted: who continues it has all that the ranges had.
    assertThat(range(1).findPartial(NAME, versionOf(1)).isSettled()).isTrue();
    assertInUse(() -> range(1).create(NAME, FileShape.of(versionOf(1), List.of())));
    assertThat(keptOfWhole()).containsExactly(0L, 4L);
    copyWhole(4, 5, 6, 7);
    assertOnlyTheFileIsThere();
  }

  @Test
  void aLateRangeDoesNotTouchTheFinishedFile() throws Exception {
    copyWhole(0, 1, 2, 3, 4, 5, 6, 7);
    byte[] before = Files.readAllBytes(out.resolve("large"));
    DestinationDirectory range = range(1);
    assertThat(range.find(NAME)).isPresent();

    try (PendingFile late = begin(range, 1)) {
      late.write(Partials.block(0), 0);
    }

    assertThat(Files.readAllBytes(out.resolve("large"))).isEqualTo(before);
  }

  @Test
  void anInterruptedRangeIsContinued() throws Exception {
    try (PendingFile file = begin(range(1), 1)) {
      write(file, 1, 1);
    }

    PartialFile found = range(1).findPartial(NAME, versionOf(1));
    assertThat(found.kept())
        .containsExactly(new CheckedRange(BLOCK, 2L * BLOCK, Partials.range(4).crc()));
    copy(1, 0, 2);

    assertThat(keptOfWhole()).containsExactly(3L, 6L);
  }

  /** Another machine may have written it, or the system may have been started anew. */
  @Test
  void onlyVerifiedRangesAreTrustedWithoutReading() throws Exception {
    copy(0, 0, 1, 2);
    try (PendingFile file = begin(range(1), 1)) {
      write(file, 1, 0, 1);
    }
    damage(4L * BLOCK + 17);
    assertThat(keptOfWhole()).containsExactly(0L, 3L);
    assertThat(range(1).findPartial(NAME, versionOf(1)).kept()).isEmpty();
    damage(17); // the device is trusted, as in any journal of this system
    assertThat(keptOfWhole()).containsExactly(0L, 3L);
  }

  private void damage(long at) throws Exception {
    try (RandomAccessFile part = new RandomAccessFile(Partials.part(out).toFile(), "rw")) {
      part.seek(at);
      int before = part.read();
      part.seek(at);
      part.write(before ^ 1);
    }
  }

  /** One of two attempts at a range may look before the file gets its name, and begin after. */
  @Test
  void aRangeThatBeginsAfterTheFileGotItsNameLeavesNothing() throws Exception {
    DestinationDirectory late = range(1);
    assertThat(late.find(NAME)).isEmpty();
    copy(0, 0, 1, 2);
    copyWhole(3, 4, 5, 6, 7);

    assertInUse(() -> begin(late, 1));

    assertOnlyTheFileIsThere();
  }

  /** A worker can die when it has made the file, and the journal beside it is of an older one. */
  @Test
  void anOldJournalSaysNothingOfANewPartialFile() throws Exception {
    copy(0, 0, 1, 2);
    Files.delete(Partials.part(out));
    Files.createFile(Partials.part(out));

    assertThat(keptOfWhole()).isEmpty();
    assertThat(range(0).findPartial(NAME, versionOf(0)).isSettled()).isFalse();
    copy(1, 0, 1, 2);
    assertThat(keptOfWhole()).containsExactly(3L, 6L);
    copyWhole(0, 1, 2, 6, 7);
    assertOnlyTheFileIsThere();
  }

  @Test
  void whatRangesLeftGoesAwayThoughTheirFileIsGone() throws Exception {
    copy(0, 0, 1, 2);
    Files.delete(Partials.part(out));

    copyWhole(0, 1, 2, 3, 4, 5, 6, 7);

    assertOnlyTheFileIsThere();
  }

  @Test
  void otherRangesRemoveWhatTheirPredecessorsLeft() throws Exception {
    copy(0, 0, 1, 2);
    copy(1, 0, 1, 2);
    Files.delete(Partials.part(out));
    FileCut halves = new FileCut(VERSION.size(), 4L * BLOCK);
    DestinationDirectory half = range(halves, 0);
    SourceVersion version = new SourceVersion(4L * BLOCK, VERSION.modified(), VERSION.stamp());
    try (PendingFile file = half.create(NAME, FileShape.of(version, List.of()))) {
      Partials.write(file, 0, 1, 2, 3);
      file.publish(0644, MODIFIED, Durability.NONE);
    }

    copyWhole(4, 5, 6, 7);

    assertOnlyTheFileIsThere();
  }

  /**
   * The transfer of the whole can die when it has its own journal, and ranges still have theirs.
   */
  @Test
  void theNextTransferRemovesWhatADeadOneLeftOfRanges() throws Exception {
    copy(0, 0, 1, 2);
    copy(1, 0, 1, 2);
    Path kept = sandbox.directory("kept");
    for (String name : out.toFile().list()) {
      Files.copy(out.resolve(name), kept.resolve(name));
    }
    PartialFile found = whole.findPartial(NAME, VERSION);
    whole.create(NAME, FileShape.of(VERSION, found.kept())).close();
    for (String name : kept.toFile().list()) {
      if (!Files.exists(out.resolve(name))) {
        Files.copy(kept.resolve(name), out.resolve(name));
      }
    }

    copyWhole(6, 7);

    assertOnlyTheFileIsThere();
  }

  @Test
  void rangesOfAnOlderPartialFileAreNotTrusted() throws Exception {
    copy(0, 0, 1, 2);
    copy(1, 0, 1, 2);
    Files.delete(Partials.part(out));
    Files.delete(Partials.journal(out));

    copy(2, 0, 1);

    assertThat(keptOfWhole()).containsExactly(6L, 8L);
    assertThat(range(0).findPartial(NAME, versionOf(0)).isSettled()).isFalse();
  }

  /** Ranges compared in one partial file are not trusted in the next one. */
  @Test
  void whatWasFoundIsGoneWithThePartialFile() throws Exception {
    try (PendingFile file = begin(range(1), 1)) {
      write(file, 1, 0);
    }
    PartialFile found = range(1).findPartial(NAME, versionOf(1));
    PartialFile ofWhole = whole.findPartial(NAME, VERSION);
    assertThat(found.kept()).isNotEmpty();
    Files.delete(Partials.part(out));
    Files.delete(Partials.journal(out));
    copy(2, 0, 1);

    assertInUse(() -> range(1).create(NAME, FileShape.of(versionOf(1), found.kept())));
    assertInUse(() -> whole.create(NAME, FileShape.of(VERSION, ofWhole.kept())));
    assertThat(range(1).findPartial(NAME, versionOf(1)).kept()).isEmpty();
  }

  @Test
  void anotherVersionOfTheSourceStartsOver() throws Exception {
    copy(0, 0, 1, 2);
    SourceVersion changed =
        new SourceVersion(VERSION.size(), new Timestamp(1_800_000_000L, 0), VERSION.stamp());
    SourceVersion ofRange =
        new SourceVersion(CUT.range(2).length(), changed.modified(), changed.stamp());
    try (PendingFile old = begin(range(1), 1)) {
      write(old, 1, 0);
      assertInUse(() -> range(2).create(NAME, FileShape.of(ofRange, List.of())));
    }

    try (PendingFile file = range(2).create(NAME, FileShape.of(ofRange, List.of()))) {
      write(file, 2, 0, 1);
      file.publish(0644, MODIFIED, Durability.NONE);
    }

    assertThat(keptOfWhole()).as("of the old version").isEmpty();
    assertThat(whole.findPartial(NAME, VERSION).note()).contains("the source has changed");
    assertThat(whole.findPartial(NAME, changed).kept()).hasSize(1);
    try (PendingFile all =
        whole.create(NAME, FileShape.of(changed, whole.findPartial(NAME, changed).kept()))) {
      Partials.write(all, 0, 1, 2, 3, 4, 5);
      all.publish(0644, MODIFIED, Durability.NONE);
    }
    assertOnlyTheFileIsThere();
  }

  /** Its time of change says that the file was written to between two ranges. */
  @Test
  void aRangeOfAnEarlierContentIsDoubtful() throws Exception {
    copy(0, 0, 1, 2);
    copy(1, 0, 1, 2);
    FileStamp later = new FileStamp(77, new Timestamp(1_700_000_009L, 0), true);
    SourceVersion changed = new SourceVersion(VERSION.size(), VERSION.modified(), later);
    SourceVersion ofRange = new SourceVersion(CUT.range(1).length(), VERSION.modified(), later);
    assertThat(range(1).findPartial(NAME, versionOf(1)).isSettled()).isTrue();

    PartialFile found = range(1).findPartial(NAME, ofRange);
    assertThat(found.isSettled()).isFalse();
    assertThat(found.kept()).isEmpty();
    assertThat(found.doubtful()).hasSize(1);

    // The source still has it: it is of the later content from now on.
    try (PendingFile file = range(1).create(NAME, FileShape.of(ofRange, found.doubtful()))) {
      file.publish(0644, MODIFIED, Durability.NONE);
    }
    assertThat(range(1).findPartial(NAME, ofRange).isSettled()).isTrue();
    PartialFile all = whole.findPartial(NAME, changed);
    assertThat(all.kept()).containsExactly(Partials.joined(3, 6));
    assertThat(all.doubtful()).containsExactly(Partials.joined(0, 3));
  }

  @Test
  void otherRangesStartOver() throws Exception {
    copy(0, 0, 1, 2);
    FileCut other = new FileCut(VERSION.size(), 2L * BLOCK);
    SourceVersion ofRange = new SourceVersion(2L * BLOCK, VERSION.modified(), VERSION.stamp());
    try (PendingFile file = range(other, 1).create(NAME, FileShape.of(ofRange, List.of()))) {
      file.write(Partials.block(2), 0);
      file.write(Partials.block(3), BLOCK);
      file.publish(0644, MODIFIED, Durability.NONE); // without notes: what is there is read
    }
    assertThat(keptOfWhole()).containsExactly(2L, 4L);
    copyWhole(0, 1, 4, 5, 6, 7);
    assertOnlyTheFileIsThere();
  }

  @Test
  void aRangeThatWasWrongIsForgotten() throws Exception {
    PendingFile file = begin(range(1), 1);
    write(file, 1, 0, 1, 2);
    file.discard();

    assertThat(range(1).findPartial(NAME, versionOf(1)).kept()).isEmpty();
    assertThat(keptOfWhole()).isEmpty();
  }

  @LinuxOnly("holes")
  @Test
  void holesStayHoles() throws Exception {
    SourceVersion ofRange = versionOf(0);
    try (PendingFile file =
        range(0).create(NAME, new FileShape(ofRange.size(), true, ofRange, List.of()))) {
      file.makeHole(new Range(0, 2L * BLOCK));
      file.write(Partials.block(2), 2L * BLOCK);
      file.publish(0644, MODIFIED, Durability.NONE);
    }
    Attributes part = whole.find(TemporaryName.of(NAME)).orElseThrow();
    assertThat(part.size()).isEqualTo(VERSION.size());
    assertThat(part.allocated()).isLessThan(3L * BLOCK);
    assertThat(keptOfWhole()).containsExactly(0L, 3L);
  }

  @Test
  void aFileOfTheNameCountsAsTheRangeIfItHasTheSizeOfTheWhole() throws Exception {
    assertThat(range(2).find(NAME)).isEmpty();
    copyWhole(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(range(2).find(NAME).orElseThrow().size()).isEqualTo(2L * BLOCK);
    Files.write(out.resolve("large"), new byte[2 * BLOCK]);
    assertThat(range(2).find(NAME).orElseThrow().size()).isNotEqualTo(2L * BLOCK);
    assertThat(range(2).find(NAME).orElseThrow().is(EntryKind.FILE)).isTrue();
  }

  @Test
  void whatWasNotAskedForIsRefused() throws Exception {
    DestinationDirectory range = range(2);
    SourceVersion tooLong = new SourceVersion(3L * BLOCK, VERSION.modified(), VERSION.stamp());
    assertProtocol(() -> range.findPartial(NAME, tooLong));
    assertProtocol(() -> range.create(NAME, FileShape.of(tooLong, List.of())));
    assertProtocol(() -> range.create(NAME, FileShape.of(FileShape.UNKNOWN_SIZE)));
    assertProtocol(() -> range.makeLink(NAME, BytePath.of("/"), MODIFIED, null, warning -> {}));
    assertProtocol(() -> range.makeHardLink(NAME, whole, NAME, 1));
    assertProtocol(() -> range.replaceByDirectory(NAME));
    assertThat(range.put(NAME, Partials.block(0), 0644, MODIFIED, FileMetadata.NONE)).isFalse();
    assertThat(out).isEmptyDirectory();
  }

  private static void assertProtocol(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void cleanupRemovesWhatNobodyHolds() throws Exception {
    copy(0, 0, 1, 2);
    List<LeftoverVisitor.Leftover> found = new ArrayList<>();
    LeftoverVisitor visitor =
        new LeftoverVisitor() {
          @Override
          public void leftover(LeftoverVisitor.Leftover file) {
            found.add(file);
          }

          @Override
          public void failed(String path, FdtException cause) {
            throw new AssertionError(path, cause);
          }
        };
    try (PendingFile file = begin(range(1), 1)) {
      write(file, 1, 0);
      StalePartials.visit(sandbox.bytePath("out"), true, visitor);
      assertThat(found.stream().filter(LeftoverVisitor.Leftover::inUse))
          .as("file and range, each with its journal")
          .hasSize(4);
      assertThat(Partials.part(out)).exists();
    }
    StalePartials.visit(sandbox.bytePath("out"), true, visitor);
    assertThat(out).isEmptyDirectory();
  }

  @Test
  void namesOfRangesAreOtherThanThatOfTheFile() {
    assertThat(TemporaryName.number(NAME, 0))
        .isNotEqualTo(TemporaryName.number(NAME))
        .isNotEqualTo(TemporaryName.number(NAME, 3L * BLOCK));
  }
}
