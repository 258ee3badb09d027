package io.fdt.core.session.sender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.ExtendedAttribute;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.session.Entries;
import io.fdt.core.wire.ControlFrames;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.Finished;
import io.fdt.core.wire.control.FrameAcks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SenderSessionTest {
  private static final int BLOCK = 128;
  private static final int STREAM = 5;

  private final List<Control> sent = new ArrayList<>();
  private final List<String> settled = new ArrayList<>();
  private final List<FileFailure> others = new ArrayList<>();
  private final SenderDriver<String> session =
      new SenderDriver<>(
          BLOCK,
          message -> sent.add(message.build()),
          (file, outcome, code, message) -> settled.add(file.id() + " " + outcome));
  private final int lane = session.addLane();

  @Test
  void nothingIsReadBeforeItsDecision() throws FdtException {
    offer(Entries.file(1, 0, 300), Entries.file(2, 0, 300));
    assertThat(session.nextJob(lane)).isNull();
    session.onDecisions(decisions(run(1, 1, Decision.UNCHANGED), run(2, 1, Decision.WANTED)));
    assertThat(settled).containsExactly("1 UNCHANGED");
    assertThat(block().file().id()).isEqualTo(2);
    assertThat(session.machine().bytesWanted()).isEqualTo(300);
  }

  @Test
  void onlyAnotherNameOfAFileIsLinked() throws FdtException {
    Entry plain = Entries.file(1, 0, 300);
    offer(plain, withTraits(Entries.file(2, 0, 300), FileMetadata.NONE.withNames(1, 0)));
    refused(() -> session.onDecisions(decisions(run(1, 1, Decision.LINKED))));
    session.onDecisions(decisions(run(2, 1, Decision.LINKED)));
    assertThat(session.nextJob(lane)).isNull();
    assertThat(session.machine().bytesWanted()).isZero();
    done(2);
    assertThat(settled).containsExactly("2 DONE");
  }

  @Test
  void noMoreIsWrongWithAnEntryThanItHas() throws FdtException {
    offer(Entries.directory(1, 0));
    refused(() -> session.onMetadataWarning(1));
    session.onDecisions(decisions(run(1, 1, Decision.WANTED)));
    refused(() -> session.onMetadataWarning(0));
    refused(() -> session.onMetadataWarning(2));
    refused(
        () -> {
          for (int i = 0; i < 1000; i++) {
            session.onMetadataWarning(1);
          }
        });
  }

  @Test
  void directoriesWithAttributesWeighMore() throws FdtException {
    ExtendedAttribute large = new ExtendedAttribute(new byte[] {'x'}, new byte[5119]);
    offer(
        withTraits(Entries.directory(1, 0), FileMetadata.NONE.withMetadata(null, List.of(large))),
        Entries.directory(2, 0));
    assertThat(session.onDecisions(decisions(run(1, 2, Decision.WANTED)))).isEqualTo(12);
  }

  private static Entry withTraits(Entry entry, FileMetadata metadata) {
    return new Entry(
        entry.id(),
        entry.parentId(),
        entry.name(),
        entry.kind(),
        entry.size(),
        entry.mode(),
        entry.modified(),
        entry.linkTarget(),
        entry.stamp(),
        metadata);
  }

  @Test
  void decisionsOnDirectoriesAndLinksAreCounted() throws FdtException {
    offer(Entries.directory(1, 0), Entries.file(2, 1, 3), Entries.link(3, 1));
    assertThat(session.onDecisions(decisions(run(1, 3, Decision.WANTED)))).isEqualTo(2);
  }

  /** A data node says what it has sent over another connection than the receiver's answer. */
  @Test
  void aFrameOfADataNodeMayBeAcknowledgedBeforeItIsKnownToBeSent() throws FdtException {
    wanted(Entries.file(1, 0, 300));
    session.handle(to -> to.streamOpened(STREAM, true));
    ReadJob.Block<String> first = block();
    ReadJob.Block<String> second = block();

    session.onAcks(acks(0, 1));
    session.onAcks(FrameAcks.newBuilder().setStream(STREAM).addDamaged(1).build());
    assertThat(session.machine().bytesWritten()).isZero();
    session.handle(to -> to.frameSent(STREAM, 0, first));
    session.handle(to -> to.frameSent(STREAM, 1, second));

    assertThat(session.machine().bytesWritten()).isEqualTo(128);
    assertThat(block()).isEqualTo(new ReadJob.Block<>(second.file(), 128, 128, true));
    refused(
        () -> {
          session.onAcks(acks(7, 1));
          session.onAcks(acks(7, 1));
        });
  }

  /** It counts for the digest once, whoever reads it in the end. */
  @Test
  void aBlockThatNobodyHasReadIsGivenOutAgain() throws FdtException {
    wanted(Entries.file(1, 0, 200));
    ReadJob.Block<String> first = block();
    ReadJob.Block<String> second = block();

    session.handle(to -> to.jobReturned(first, lane));

    assertThat(block()).isEqualTo(first);
    session.onBlockRead(second, 2);
    assertThat(allEnds()).isEmpty();
    session.onBlockRead(first, 1);
    assertThat(allEnds()).hasSize(1);
  }

  private List<FileEnd> allEnds() {
    return sent.stream().flatMap(m -> m.getFileEnds().getFilesList().stream()).toList();
  }

  @Test
  void aLargeFileIsReadInBlocksThatCoverItOnce() throws FdtException {
    wanted(Entries.file(1, 0, 300));
    assertThat(List.of(block(), block(), block()))
        .extracting(b -> b.offset() + "+" + b.length() + " " + b.repeated())
        .containsExactly("0+128 false", "128+128 false", "256+44 false");
    assertThat(session.nextJob(lane)).isNull();
  }

  @Test
  void theLargestFileIsReadFirst() throws FdtException {
    wanted(Entries.file(1, 0, 100), Entries.file(2, 0, 130), Entries.file(3, 0, 120));
    assertThat(List.of(block(), block(), block(), block()))
        .extracting(b -> b.file().id())
        .containsExactly(2L, 2L, 3L, 1L);
  }

  @Test
  void packsAndBlocksTakeTurns() throws FdtException {
    wanted(Entries.file(1, 0, 300), Entries.file(2, 0, 16), Entries.file(3, 0, 0));
    List<Boolean> packs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      packs.add(session.nextJob(lane) instanceof ReadJob.Pack<String>);
    }
    assertThat(packs).containsExactly(true, false, false, false);
  }

  @Test
  void aPackIsNoLongerThanABlock() throws FdtException {
    List<Entry> entries = new ArrayList<>();
    for (long id = 1; id <= 9; id++) {
      entries.add(Entries.file(id, 0, 16));
    }
    wanted(entries.toArray(Entry[]::new));
    List<Integer> sizes = new ArrayList<>();
    for (ReadJob<String> job = session.nextJob(lane); job != null; job = session.nextJob(lane)) {
      sizes.add(((ReadJob.Pack<String>) job).files().size());
    }
    assertThat(sizes).as("files of 16 bytes and 16 of a header each").containsExactly(4, 4, 1);
  }

  @Test
  void theDigestIsThatOfTheWholeFileInWhateverOrderItsBlocksAreRead() throws FdtException {
    byte[] content = new byte[1000];
    new Random(1).nextBytes(content);
    wanted(Entries.file(1, 0, content.length));
    List<ReadJob.Block<String>> blocks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      blocks.add(block());
    }
    Collections.shuffle(blocks, new Random(2));
    for (ReadJob.Block<String> block : blocks) {
      session.onBlockRead(block, crc(content, (int) block.offset(), block.length()));
    }
    session.flush();
    assertThat(ends())
        .containsExactly(
            FileEnd.newBuilder().setId(1).setCrc32C(crc(content, 0, content.length)).build());
  }

  @Test
  void aFileThatCannotBeReadIsGivenUp() throws FdtException {
    wanted(Entries.file(1, 0, 300));
    session.onReadFailed(block().file(), new FdtException(ErrorCode.IO, "bad sector"));
    session.flush();
    assertThat(ends())
        .containsExactly(
            FileEnd.newBuilder()
                .setId(1)
                .setCode(ErrorCode.IO.wireCode())
                .setMessage("bad sector")
                .build());
    assertThat(settled).as("the receiver has the last word").isEmpty();
    failed(1, 24);
    assertThat(settled).containsExactly("1 FAILED");
    assertThat(session.nextJob(lane)).as("the rest of it").isNull();
    assertThat(session.machine().bytesWanted()).isZero();
  }

  @Test
  void manyLongMessagesAboutFailuresFitIntoControlMessages() throws FdtException {
    FdtException failure = new FdtException(ErrorCode.IO, "x".repeat(8 << 10));
    for (int id = 1; id <= 300; id++) {
      wanted(Entries.file(id, 0, 300));
      session.onReadFailed(block().file(), failure);
    }
    session.flush();
    assertThat(sent)
        .allMatch(message -> message.getSerializedSize() < ControlFrames.MAX_LENGTH / 2);
    assertThat(sent.stream().mapToInt(m -> m.getFileEnds().getFilesCount()).sum()).isEqualTo(300);
  }

  @Test
  void aDamagedFrameIsReadAgainBeforeAnythingElse() throws FdtException {
    wanted(Entries.file(1, 0, 300));
    ReadJob.Block<String> first = block();
    session.onSent(STREAM, 0, first);
    session.onAcks(FrameAcks.newBuilder().setStream(STREAM).addDamaged(0).build());
    ReadJob.Block<String> again = block();
    assertThat(again.offset()).isEqualTo(first.offset());
    assertThat(again.repeated()).isTrue();
  }

  @Test
  void whatWasOnALostStreamAndIsNotAcknowledgedIsReadAgain() throws FdtException {
    wanted(Entries.file(1, 0, 300));
    session.onSent(STREAM, 0, block());
    session.onSent(STREAM, 1, block());
    session.onSent(STREAM + 1, 0, block());
    session.onAcks(acks(0, 1));
    session.onStreamLost(STREAM);
    assertThat(block().offset()).isEqualTo(128);
    assertThat(session.nextJob(lane)).isNull();
    session.onAcks(acks(1, 1));
    assertThat(session.machine().bytesWritten())
        .as("acknowledged while the stream was there")
        .isEqualTo(128);
  }

  @Test
  void filesWhoseFateIsKnownAreNotReadAgain() throws FdtException {
    wanted(Entries.file(1, 0, 5), Entries.file(2, 0, 5), Entries.file(3, 0, 300));
    ReadJob<String> pack = session.nextJob(lane);
    ReadJob<String> large = session.nextJob(lane);
    session.onSent(STREAM, 0, pack);
    session.onSent(STREAM, 1, large);
    done(1);
    session.onStreamLost(STREAM);
    failed(3, 1);
    ReadJob.Pack<String> again = (ReadJob.Pack<String>) session.nextJob(lane);
    assertThat(again.files()).extracting(OutgoingFile::id).containsExactly(2L);
    assertThat(session.nextJob(lane)).isNull();
  }

  @Test
  void decisionGapIsAProtocolError() throws FdtException {
    offer(Entries.file(1, 0, 1), Entries.file(2, 0, 1));
    refused(() -> session.onDecisions(decisions(run(2, 1, Decision.WANTED))));
    session.onDecisions(decisions(run(1, 1, Decision.WANTED)));
    refused(() -> session.onDecisions(decisions(run(1, 1, Decision.WANTED))));
    refused(() -> session.onDecisions(decisions(run(2, 2, Decision.WANTED))));
    refused(() -> session.onDecisions(decisions(run(2, 0, Decision.WANTED))));
    refused(() -> session.onDecisions(decisions(run(2, -1, Decision.WANTED))));
  }

  @Test
  void decisionOnMoreEntriesThanALongCanCountIsAProtocolError() throws FdtException {
    offer(Entries.file(1, 0, 1), Entries.file(2, 0, 1));
    session.onDecisions(decisions(run(1, 1, Decision.WANTED)));
    refused(() -> session.onDecisions(decisions(run(2, Long.MAX_VALUE, Decision.WANTED))));
    assertThat(session.judgedThrough()).isEqualTo(1);
  }

  @Test
  void unknownDecisionIsAProtocolError() throws FdtException {
    offer(Entries.file(1, 0, 1), Entries.file(2, 0, 1));
    refused(() -> session.onDecisions(decisions(run(1, 1, Decision.DECISION_UNSET))));
    DecisionRun unknown =
        DecisionRun.newBuilder().setFirstId(2).setCount(1).setDecisionValue(77).build();
    refused(() -> session.onDecisions(decisions(unknown)));
  }

  @Test
  void acknowledgementOfFramesNeverSentIsAProtocolError() throws FdtException {
    wanted(Entries.file(1, 0, 300));
    session.onSent(STREAM, 0, block());
    refused(() -> session.onAcks(acks(1, 1)));
    refused(() -> session.onAcks(acks(0, 2)));
    refused(() -> session.onAcks(acks(0, 0)));
    refused(() -> session.onAcks(acks(0, -1)));
    refused(() -> session.onAcks(acks(-1, 1)));
    refused(() -> session.onAcks(acks(Long.MAX_VALUE, 1)));
    refused(() -> session.onAcks(FrameAcks.newBuilder().setStream(STREAM).addDamaged(7).build()));
    refused(() -> session.onAcks(FrameAcks.newBuilder().setStream(STREAM).addWritten(0).build()));
  }

  @Test
  void acknowledgementTwiceIsAProtocolError() throws FdtException {
    wanted(Entries.file(1, 0, 300));
    session.onSent(STREAM, 0, block());
    session.onSent(STREAM, 1, block());
    session.onAcks(acks(0, 1));
    refused(() -> session.onAcks(acks(0, 1)));
    refused(() -> session.onAcks(FrameAcks.newBuilder().setStream(STREAM).addDamaged(0).build()));
  }

  @Test
  void resultOfAnUnknownEntryIsAProtocolError() throws FdtException {
    wanted(Entries.file(1, 0, 1));
    for (long id : new long[] {0, 2, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      refused(() -> done(id));
    }
  }

  @Test
  void theDigestOfEachFileIsItsPartOfAll() throws FdtException {
    wanted(Entries.file(1, 0, 1), Entries.file(2, 0, 1));
    List<OutgoingFile<String>> files = ((ReadJob.Pack<String>) session.nextJob(lane)).files();
    ByteString digests = ByteString.copyFrom(new byte[] {1, 2, 3, 4});
    session.onFileResults(
        FileResults.newBuilder().addDone(2).addDone(1).setDigests(digests).build(), others::add);
    assertThat(settled).containsExactly("2 DONE", "1 DONE");
    assertThat(files.get(1).digestAtReceiver()).containsExactly(1, 2);
    assertThat(files.get(0).digestAtReceiver()).containsExactly(3, 4);
  }

  @Test
  void digestsThatAreNotAllOfOneLengthAreAProtocolError() throws FdtException {
    wanted(Entries.file(1, 0, 1), Entries.file(2, 0, 1));
    for (int length : new int[] {1, 3, 2 * DigestMethod.MAX_LENGTH + 2}) {
      ByteString digests = ByteString.copyFrom(new byte[length]);
      refused(
          () ->
              session.onFileResults(
                  FileResults.newBuilder().addDone(1).addDone(2).setDigests(digests).build(),
                  others::add));
    }
    ByteString digest = ByteString.copyFrom(new byte[4]);
    refused(
        () ->
            session.onFileResults(
                FileResults.newBuilder().setDigests(digest).build(), others::add));
    assertThat(settled).isEmpty();
  }

  @Test
  void theFailureOfADirectoryIsToldApart() throws FdtException {
    offer(Entries.directory(1, 0));
    session.onDecisions(decisions(run(1, 1, Decision.WANTED)));
    failed(1, 24);
    assertThat(others).extracting(FileFailure::getCode).containsExactly(24);
    assertThat(settled).isEmpty();
  }

  @Test
  void failureWithoutAReasonIsAProtocolError() throws FdtException {
    wanted(Entries.file(1, 0, 1));
    refused(() -> failed(1, 0));
  }

  @Test
  void resultBeforeItsDecisionIsAProtocolError() {
    offer(Entries.file(1, 0, 1), Entries.directory(2, 0));
    refused(() -> done(1));
    refused(() -> failed(2, 1));
    assertThat(settled).isEmpty();
  }

  @Test
  void finishedBeforeEveryFileHasItsFateIsAProtocolError() throws FdtException {
    refused(() -> session.onFinished(Finished.getDefaultInstance()));
    wanted(Entries.file(1, 0, 1));
    session.endManifest();
    refused(() -> session.onFinished(Finished.getDefaultInstance()));
    done(1);
    session.onFinished(Finished.getDefaultInstance());
    assertThat(session.machine().finished()).isNotNull();
  }

  private void done(long id) throws FdtException {
    session.onFileResults(FileResults.newBuilder().addDone(id).build(), others::add);
  }

  private void failed(long id, int code) throws FdtException {
    FileFailure.Builder failure = FileFailure.newBuilder().setId(id).setCode(code);
    session.onFileResults(FileResults.newBuilder().addFailed(failure).build(), others::add);
  }

  private void offer(Entry... entries) {
    for (Entry entry : entries) {
      session.offer(entry, "source " + entry.id(), lane);
    }
  }

  private void wanted(Entry... entries) throws FdtException {
    offer(entries);
    session.onDecisions(decisions(run(entries[0].id(), entries.length, Decision.WANTED)));
  }

  private ReadJob.Block<String> block() {
    return (ReadJob.Block<String>) session.nextJob(lane);
  }

  private List<FileEnd> ends() {
    return sent.get(sent.size() - 1).getFileEnds().getFilesList();
  }

  private static FrameAcks acks(long first, long count) {
    return FrameAcks.newBuilder().setStream(STREAM).addWritten(first).addWritten(count).build();
  }

  private static void refused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  private static DecisionRun run(long first, long count, Decision decision) {
    return DecisionRun.newBuilder().setFirstId(first).setCount(count).setDecision(decision).build();
  }

  private static Decisions decisions(DecisionRun... runs) {
    return Decisions.newBuilder().addAllRuns(List.of(runs)).build();
  }

  private static int crc(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }
}
