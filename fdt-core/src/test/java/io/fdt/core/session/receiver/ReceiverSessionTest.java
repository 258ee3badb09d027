package io.fdt.core.session.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.digest.BlockHasher;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.session.Entries;
import io.fdt.core.wire.ControlFrames;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.FrameAcks;
import io.fdt.core.wire.control.ManifestEnd;
import io.fdt.core.wire.control.MetadataWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ReceiverSessionTest {
  private static final int STREAM = 3;

  private final List<Control> sent = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private final ReceiverDriver<String> session =
      new ReceiverDriver<>(message -> sent.add(message.build()), new Recorder());

  /** Writes down what the session asks for. */
  private final class Recorder implements ReceiverDriver.Actions<String> {
    @Override
    public void store(IncomingFile<String> file) {
      asked.add("store " + file.id());
    }

    @Override
    public void settled(IncomingFile<String> file, ErrorCode failure, String message) {
      asked.add("settled " + file.id() + (failure == null ? "" : " " + failure));
    }

    @Override
    public void stopReading(IncomingFile<String> file) {
      asked.add("stop reading " + file.id());
    }

    @Override
    public void finishDirectory(Entry directory) {
      asked.add("finish " + directory.id());
    }

    @Override
    public void failed(Entry entry, ErrorCode failure, String message) {
      asked.add("failed " + entry.id() + " " + failure);
    }
  }

  @Test
  void aFileIsStoredOnceAllOfItIsWrittenAndItsDigestIsRight() throws FdtException {
    IncomingFile<String> file = wantedFile(100);
    session.onBlock(1, 60, 40);
    session.onBlock(1, 0, 60);
    session.onWritten(file, 60, 40, crc(60, 40));
    session.onFileEnd(end(1, crc(0, 100)));
    assertThat(asked).isEmpty();
    session.onWritten(file, 0, 60, crc(0, 60));
    assertThat(asked).containsExactly("store 1");
    session.onStored(file);
    assertThat(asked).containsExactly("store 1", "settled 1");
    assertThat(session.machine().filesDone()).isEqualTo(1);
    assertThat(session.machine().bytesWritten()).isEqualTo(100);
    ByteString digest = ByteString.copyFrom(BlockHasher.ofCrc(crc(0, 100)));
    assertThat(results()).isEqualTo(FileResults.newBuilder().addDone(1).setDigests(digest).build());
  }

  @Test
  void digestsOfOneMessageHaveOneLength() throws FdtException {
    session.onManifest(
        List.of(Entries.file(1, 0, 1), Entries.file(2, 0, 1), Entries.file(3, 0, 1)));
    for (long id = 1; id <= 3; id++) {
      IncomingFile<String> file = session.file(id);
      session.onWanted(file, List.of());
    }
    for (long id = 1; id <= 3; id++) {
      session.onRecordStored(session.file(id), new byte[id < 3 ? 4 : 8]);
    }
    session.flush();
    List<FileResults> told =
        sent.stream().filter(Control::hasFileResults).map(Control::getFileResults).toList();
    assertThat(told).hasSize(2);
    assertThat(told.get(0).getDoneList()).containsExactly(1L, 2L);
    assertThat(told.get(0).getDigests().size()).isEqualTo(8);
    assertThat(told.get(1).getDoneList()).containsExactly(3L);
    assertThat(told.get(1).getDigests().size()).isEqualTo(8);
  }

  @Test
  void theEndMayComeBeforeTheData() throws FdtException {
    IncomingFile<String> file = wantedFile(100);
    session.onFileEnd(end(1, crc(0, 100)));
    session.onBlock(1, 0, 100);
    session.onWritten(file, 0, 100, crc(0, 100));
    assertThat(asked).containsExactly("store 1");
  }

  @Test
  void duplicateBlockIsNotWrittenTwice() throws FdtException {
    IncomingFile<String> file = wantedFile(100);
    assertThat(session.onBlock(1, 0, 60)).isSameAs(file);
    assertThat(session.onBlock(1, 0, 60)).as("while the first is being written").isNull();
    session.onWritten(file, 0, 60, 0);
    assertThat(session.onBlock(1, 0, 60)).as("when the first was written").isNull();
    assertThat(session.onBlock(1, 60, 40)).isSameAs(file);
  }

  /** The first copy may still be lost with the data node that has it. */
  @Test
  void aRepeatedBlockIsAcknowledgedWhenItsFirstCopyIsWritten() throws FdtException {
    IncomingFile<String> file = wantedFile(100);
    session.onBlock(1, 0, 60); // frame 0
    assertThat(session.onBlock(1, 0, 60)).isNull(); // frame 1
    assertThat(acknowledged()).isEmpty();

    session.onWritten(file, 0, 60, crc(0, 60));

    assertThat(acknowledged()).containsExactlyInAnyOrder(0L, 1L);
  }

  @Test
  void aBlockThatIsLostWithADataNodeIsAskedForAgain() throws FdtException {
    IncomingFile<String> file = wantedFile(100);
    session.onBlock(1, 0, 60); // frame 0
    session.onBlock(1, 0, 60); // frame 1
    session.onBlock(1, 60, 40); // frame 2

    session.onLost(file, 0, 0, 60);

    session.flush();
    assertThat(sent.stream().flatMap(m -> m.getFrameAcks().getDamagedList().stream()))
        .containsExactlyInAnyOrder(0L, 1L);
    assertThat(session.onBlock(1, 0, 60)).as("it may come again").isSameAs(file);
    session.onWritten(file, 60, 40, crc(60, 40));
    session.onFileEnd(end(1, crc(0, 100)));
    assertThat(asked).as("a part is missing").isEmpty();
    session.onWritten(file, 0, 60, crc(0, 60));
    assertThat(asked).containsExactly("store 1");
  }

  @Test
  void oneBlockDoesNotComeWithoutEnd() throws FdtException {
    wantedFile(100);
    session.onBlock(1, 0, 60);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 10_000; i++) {
                session.onBlock(1, 0, 60);
              }
            })
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("came too often");
  }

  /** Numbers of the frames that were acknowledged as written. */
  private List<Long> acknowledged() {
    session.flush();
    List<Long> numbers = new ArrayList<>();
    for (Control message : sent) {
      List<Long> runs = message.getFrameAcks().getWrittenList();
      for (int i = 0; i < runs.size(); i += 2) {
        for (long n = 0; n < runs.get(i + 1); n++) {
          numbers.add(runs.get(i) + n);
        }
      }
    }
    return numbers;
  }

  @Test
  void dataOfAFileWhoseFateIsKnownIsDropped() throws FdtException {
    IncomingFile<String> file = wantedFile(100);
    session.fail(file, ErrorCode.STORAGE_FULL, "full");
    assertThat(session.onBlock(1, 0, 60)).isNull();
    assertThat(session.onRecord(1, 100)).isNull();
    session.onWritten(file, 60, 40, 0);
    session.onFileEnd(end(1, 0));
    assertThat(asked).containsExactly("settled 1 STORAGE_FULL");
  }

  @Test
  void aFileWithAnotherDigestIsNotStored() throws FdtException {
    IncomingFile<String> file = wantedFile(100);
    session.onBlock(1, 0, 100);
    session.onWritten(file, 0, 100, crc(0, 100));
    session.onFileEnd(end(1, crc(0, 100) ^ 1));
    assertThat(asked).containsExactly("settled 1 VERIFICATION");
    assertThat(session.machine().failures()).isEqualTo(1);
    assertThat(session.machine().bytesWanted()).isZero();
  }

  @Test
  void aFileThatTheSenderGivesUpIsForgotten() throws FdtException {
    wantedFile(100);
    session.onBlock(1, 0, 60);
    session.onFileEnd(
        FileEnd.newBuilder()
            .setId(1)
            .setCode(ErrorCode.SOURCE_CHANGED.wireCode())
            .setMessage("it grew")
            .build());
    assertThat(asked).containsExactly("settled 1 SOURCE_CHANGED");
    assertThat(results().getFailedList())
        .containsExactly(
            FileFailure.newBuilder()
                .setId(1)
                .setCode(ErrorCode.SOURCE_CHANGED.wireCode())
                .setMessage("it grew")
                .setMissing(100)
                .build());
  }

  /** Whoever fails files while they are read here would have any number of them read at once. */
  @Test
  void aFileThatIsGivenUpWhileItIsComparedKeepsItsPlaceUntilNobodyReadsIt() throws FdtException {
    List<Entry> entries = new ArrayList<>();
    for (int id = 1; id <= ReceiverMachine.WINDOW; id++) {
      entries.add(Entries.file(id, 0, 100));
    }
    session.onManifest(entries);
    session.onCompare(session.file(1));
    session.onFileEnd(
        FileEnd.newBuilder().setId(1).setCode(ErrorCode.IO.wireCode()).setMessage("bad").build());
    assertThat(asked).containsExactly("stop reading 1");
    session.flush();
    assertThat(sent).noneMatch(Control::hasFileResults);
    Entry next = Entries.file(ReceiverMachine.WINDOW + 1, 0, 100);
    assertThatThrownBy(() -> session.onManifest(List.of(next)))
        .hasMessageContaining("entries whose outcome is open");

    session.onDigestRead(session.file(1), null);
    assertThat(asked).containsExactly("stop reading 1", "settled 1 IO");
    assertThat(results().getFailedList()).hasSize(1);
    session.onManifest(List.of(next));
  }

  @Test
  void anEmptyFileNeedsNoBlock() throws FdtException {
    wantedFile(0);
    session.onFileEnd(end(1, 0));
    assertThat(asked).containsExactly("store 1");
  }

  @Test
  void aRecordIsTakenOnce() throws FdtException {
    IncomingFile<String> file = wantedFile(10);
    assertThat(session.onRecord(1, 10)).isSameAs(file);
    assertThat(session.onRecord(1, 10)).isNull();
    session.onRecordStored(file);
    assertThat(session.onRecord(1, 10)).isNull();
    assertThat(session.machine().bytesWritten()).isEqualTo(10);
    assertThat(asked).containsExactly("settled 1");
  }

  @Test
  void theRecordOfAnEmptyFileIsTakenOnce() throws FdtException {
    IncomingFile<String> file = wantedFile(0);
    assertThat(session.onRecord(1, 0)).isSameAs(file);
    assertThat(session.onRecord(1, 0)).isNull();
  }

  @Test
  void aDirectoryIsFinishedAfterEverythingInItAndBeforeTheOneThatHoldsIt() throws FdtException {
    session.onManifest(
        List.of(Entries.directory(1, 0), Entries.directory(2, 1), Entries.file(3, 2, 5)));
    session.onDirectoryEnd(2);
    session.onDirectoryEnd(1);
    session.onManifestEnd(manifestEnd(3));
    session.onPrepared(Entries.directory(1, 0));
    session.onPrepared(Entries.directory(2, 1));
    session.onUnchanged(session.file(3));
    assertThat(asked).containsExactly("settled 3", "finish 2");
    session.onDirectoryFinished(Entries.directory(2, 1), null, "");
    assertThat(asked).containsExactly("settled 3", "finish 2", "finish 1");
    assertThat(session.isFinished()).isFalse();
    session.onDirectoryFinished(Entries.directory(1, 0), null, "");
    assertThat(session.isFinished()).isTrue();
  }

  @Test
  void aDirectoryThatCouldNotBeMadeIsNotFinished() throws FdtException {
    session.onManifest(List.of(Entries.directory(1, 0), Entries.file(2, 1, 5)));
    session.onDirectoryEnd(1);
    session.onManifestEnd(manifestEnd(2));
    session.onPrepareFailed(Entries.directory(1, 0), ErrorCode.PERMISSION, "no");
    session.onPrepareFailed(Entries.file(2, 1, 5), ErrorCode.NOT_FOUND, "no parent");
    assertThat(asked).containsExactly("failed 1 PERMISSION", "settled 2 NOT_FOUND");
    assertThat(session.isFinished()).isTrue();
    assertThat(session.machine().failures()).isEqualTo(2);
    assertThat(session.machine().directoriesDone()).isZero();
  }

  @Test
  void anEmptyManifestIsFinishedAtOnce() throws FdtException {
    session.onManifestEnd(manifestEnd(0));
    assertThat(session.isFinished()).isTrue();
  }

  @Test
  void decisionsAndAcknowledgementsTravelInRuns() throws FdtException {
    session.onManifest(
        List.of(Entries.file(1, 0, 1), Entries.file(2, 0, 1), Entries.file(3, 0, 1)));
    session.place(
        List.of(
            new PlacedEntry.Unchanged<>(Entries.file(1, 0, 1), () -> "1"),
            new PlacedEntry.Wanted<>(Entries.file(2, 0, 1), () -> "2", null, List.of(), "", 0),
            new PlacedEntry.Wanted<>(Entries.file(3, 0, 1), () -> "3", null, List.of(), "", 0)));
    for (long number : new long[] {4, 5, 6, 9, 2}) {
      session.acknowledge(STREAM, number);
    }
    session.reject(STREAM, 7);
    session.flush();
    assertThat(sent.get(0).getDecisions().getRunsList())
        .containsExactly(run(1, 1, Decision.UNCHANGED), run(2, 2, Decision.WANTED));
    assertThat(sent.get(1).getFrameAcks())
        .isEqualTo(
            FrameAcks.newBuilder()
                .setStream(STREAM)
                .addAllWritten(List.of(4L, 3L, 9L, 1L, 2L, 1L))
                .addDamaged(7)
                .build());
    session.flush();
    assertThat(sent).as("said once").hasSize(2);
  }

  @Test
  void manyLongMessagesAboutFailuresFitIntoControlMessages() throws FdtException {
    int files = 300;
    String long8k = "x".repeat(8 << 10);
    for (int id = 1; id <= files; id++) {
      Entry entry = Entries.file(id, 0, 1);
      session.onManifest(List.of(entry));
      session.onPrepareFailed(entry, ErrorCode.PERMISSION, long8k);
    }
    session.flush();
    assertThat(sent)
        .allMatch(message -> message.getSerializedSize() < ControlFrames.MAX_LENGTH / 2);
    assertThat(sent.stream().mapToInt(m -> m.getFileResults().getFailedCount()).sum())
        .isEqualTo(files);
  }

  @Test
  void noMetadataWarningOvertakesItsDecision() throws FdtException {
    int directories = 700;
    List<Entry> entries = new ArrayList<>();
    for (int id = 1; id <= directories; id++) {
      entries.add(Entries.directory(id, 0));
    }
    session.onManifest(entries);
    for (Entry entry : entries) {
      session.onPrepared(entry);
      session.onMetadataWarning(entry, ErrorCode.PERMISSION, "no owner");
    }
    session.flush();

    long judged = 0;
    int told = 0;
    for (Control message : sent) {
      judged +=
          message.getDecisions().getRunsList().stream().mapToLong(DecisionRun::getCount).sum();
      for (MetadataWarning one : message.getMetadataWarnings().getEntriesList()) {
        told++;
        assertThat(one.getId()).isLessThanOrEqualTo(judged);
      }
    }
    assertThat(told).isEqualTo(directories);
    assertThat(judged).isEqualTo(directories);
  }

  @Test
  void aMessageOfTheSenderThatIsTooLongToBeRepeatedIsCutShort() throws FdtException {
    wantedFile(100);
    session.onFileEnd(
        end(1, 0).toBuilder().setCode(24).setMessage("\u20ac".repeat(330_000)).build());
    session.flush();
    assertThat(sent)
        .allMatch(message -> message.getSerializedSize() < ControlFrames.MAX_LENGTH / 2);
    assertThat(asked).containsExactly("settled 1 IO");
  }

  @Test
  void blockBeyondTheEndIsAProtocolError() throws FdtException {
    wantedFile(100);
    refused(() -> session.onBlock(1, 60, 41));
    refused(() -> session.onBlock(1, 100, 1));
    refused(() -> session.onBlock(1, 1L << 40, 1));
  }

  @Test
  void blockThatOverlapsAnotherIsAProtocolError() throws FdtException {
    IncomingFile<String> file = wantedFile(100);
    session.onBlock(1, 20, 30);
    refused(() -> session.onBlock(1, 10, 11));
    refused(() -> session.onBlock(1, 49, 10));
    refused(() -> session.onBlock(1, 0, 100));
    session.onWritten(file, 20, 30, 0);
    refused(() -> session.onBlock(1, 10, 11));
    assertThat(session.onBlock(1, 21, 10)).as("a part of what is there").isNull();
    assertThat(session.onBlock(1, 0, 20)).isSameAs(file);
  }

  @Test
  void blockWithoutBytesIsAProtocolError() throws FdtException {
    wantedFile(100);
    refused(() -> session.onBlock(1, 0, 0));
  }

  @Test
  void recordOfAnotherSizeIsAProtocolError() throws FdtException {
    wantedFile(100);
    refused(() -> session.onRecord(1, 99));
    refused(() -> session.onRecord(1, 101));
  }

  @Test
  void dataBeforeDecisionIsAProtocolError() throws FdtException {
    session.onManifest(List.of(Entries.file(1, 0, 100)));
    refused(() -> session.onBlock(1, 0, 60));
    refused(() -> session.onRecord(1, 100));
  }

  @Test
  void endOfAFileBeforeItsDecisionIsAProtocolError() throws FdtException {
    session.onManifest(List.of(Entries.file(1, 0, 100)));
    refused(() -> session.onFileEnd(end(1, 0)));
    refused(() -> session.onFileEnd(end(1, 0).toBuilder().setCode(24).build()));
    assertThat(session.file(1)).as("what the placement will ask for").isNotNull();
  }

  @Test
  void unknownEntryIsAProtocolError() throws FdtException {
    wantedFile(100);
    for (long id : new long[] {0, 2, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      refused(() -> session.onBlock(id, 0, 1));
      refused(() -> session.onRecord(id, 1));
      refused(() -> session.onFileEnd(end(id, 0)));
    }
  }

  @Test
  void manifestWithAWrongParentIsAProtocolError() throws FdtException {
    session.onManifest(List.of(Entries.directory(1, 0), Entries.file(2, 0, 1), Entries.link(3, 0)));
    refused(() -> session.onManifest(List.of(Entries.file(4, 2, 1))));
    refused(() -> session.onManifest(List.of(Entries.file(4, 3, 1))));
    session.onDirectoryEnd(1);
    refused(() -> session.onManifest(List.of(Entries.file(4, 1, 1))));
  }

  @Test
  void moreOpenEntriesThanTheWindowHoldsIsAProtocolError() throws FdtException {
    session.onManifest(List.of(Entries.file(1, 0, 1), Entries.link(2, 0)));
    int next = 3;
    for (; next <= ReceiverMachine.WINDOW; next++) {
      session.onManifest(List.of(Entries.file(next, 0, 1)));
    }
    Entry tooMany = Entries.file(next, 0, 1);
    refused(() -> session.onManifest(List.of(tooMany)));
  }

  @Test
  void entriesWhoseFateIsKnownMakeRoomInTheWindow() throws FdtException {
    for (int id = 1; id <= 3 * ReceiverMachine.WINDOW; id += 3) {
      session.onManifest(
          List.of(Entries.file(id, 0, 1), Entries.link(id + 1, 0), Entries.file(id + 2, 0, 1)));
      session.onUnchanged(session.file(id));
      session.onPrepared(Entries.link(id + 1, 0));
      session.onPrepareFailed(Entries.file(id + 2, 0, 1), ErrorCode.IO, "");
    }
    assertThat(session.machine().failures()).isEqualTo(ReceiverMachine.WINDOW);
  }

  @Test
  void directoriesThatNeverEndAreAProtocolError() throws FdtException {
    int most = 2 * ReceiverMachine.WINDOW;
    for (int id = 1; id <= most; id++) {
      session.onManifest(List.of(Entries.directory(id, id - 1)));
      session.onPrepared(Entries.directory(id, id - 1));
    }
    refused(() -> session.onManifest(List.of(Entries.directory(most + 1, most))));
  }

  @Test
  void manyFilesInManyPiecesAreAProtocolError() throws FdtException {
    int pieces = 1 << 16;
    int files = (1 << 20) / pieces;
    for (int id = 1; id <= files + 1; id++) {
      session.onManifest(List.of(Entries.file(id, 0, 2L * pieces)));
      session.onWanted(session.file(id), List.of());
    }
    for (int id = 1; id <= files; id++) {
      for (int piece = 0; piece < pieces; piece++) {
        session.onBlock(id, 2L * piece, 1);
      }
    }
    refused(() -> session.onBlock(files + 1, 0, 1));
    session.fail(session.file(1), ErrorCode.IO, "");
    session.onBlock(files + 1, 2, 1);
  }

  @Test
  void manifestWithAGapIsAProtocolError() throws FdtException {
    session.onManifest(List.of(Entries.file(1, 0, 1)));
    refused(() -> session.onManifest(List.of(Entries.file(3, 0, 1))));
    refused(() -> session.onManifest(List.of(Entries.file(1, 0, 1))));
  }

  @Test
  void endOfADirectoryTwiceIsAProtocolError() throws FdtException {
    session.onManifest(List.of(Entries.directory(1, 0), Entries.file(2, 0, 1)));
    session.onDirectoryEnd(1);
    for (long id : new long[] {1, 0, 2, 3, -1}) {
      refused(() -> session.onDirectoryEnd(id));
    }
  }

  @Test
  void manifestEndInsideADirectoryIsAProtocolError() throws FdtException {
    session.onManifest(List.of(Entries.directory(1, 0)));
    refused(() -> session.onManifestEnd(manifestEnd(1)));
  }

  @Test
  void manifestEndWithAnotherCountIsAProtocolError() throws FdtException {
    session.onManifest(List.of(Entries.file(1, 0, 1)));
    refused(() -> session.onManifestEnd(manifestEnd(2)));
    refused(() -> session.onManifestEnd(manifestEnd(0)));
    refused(() -> session.onManifestEnd(manifestEnd(-1)));
  }

  @Test
  void anythingOfTheManifestAfterItsEndIsAProtocolError() throws FdtException {
    session.onManifestEnd(manifestEnd(0));
    refused(() -> session.onManifestEnd(manifestEnd(0)));
    refused(() -> session.onManifest(List.of(Entries.file(1, 0, 1))));
    refused(() -> session.onDirectoryEnd(1));
  }

  private IncomingFile<String> wantedFile(long size) throws FdtException {
    session.onManifest(List.of(Entries.file(1, 0, size)));
    IncomingFile<String> file = session.file(1);
    session.onWanted(file, List.of());
    return file;
  }

  private FileResults results() {
    sent.clear();
    session.flush();
    return sent.get(sent.size() - 1).getFileResults();
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  private static DecisionRun run(long first, long count, Decision decision) {
    return DecisionRun.newBuilder().setFirstId(first).setCount(count).setDecision(decision).build();
  }

  private static ManifestEnd manifestEnd(long entries) {
    return ManifestEnd.newBuilder().setEntries(entries).build();
  }

  private static FileEnd end(long id, int crc) {
    return FileEnd.newBuilder().setId(id).setCrc32C(crc).build();
  }

  /** Checksum of a part of a file in which every byte tells its offset. */
  private static int crc(int offset, int length) {
    CRC32C crc = new CRC32C();
    for (int i = 0; i < length; i++) {
      crc.update(offset + i);
    }
    return (int) crc.getValue();
  }
}
