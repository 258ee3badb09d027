package io.fdt.core.session.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.session.Entries;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileFailure;
import io.fdt.core.wire.control.FileResults;
import io.fdt.core.wire.control.Finished;
import io.fdt.core.wire.control.FrameAcks;
import org.junit.jupiter.api.Test;

/** What a sender counts as written, and as sent again. */
class SenderFiguresTest {
  private static final int BLOCK = 128;
  private static final int STREAM = 5;

  private final SenderDriver<String> session =
      new SenderDriver<>(BLOCK, message -> {}, (file, outcome, code, message) -> {});
  private final int lane = session.addLane();

  private void wanted(Entry... entries) throws FdtException {
    for (Entry entry : entries) {
      session.offer(entry, "", lane);
    }
    session.onDecisions(
        Decisions.newBuilder()
            .addRuns(
                DecisionRun.newBuilder()
                    .setFirstId(1)
                    .setCount(entries.length)
                    .setDecision(Decision.WANTED))
            .build());
  }

  private void acknowledge(int stream, long number) throws FdtException {
    session.onAcks(
        FrameAcks.newBuilder().setStream(stream).addWritten(number).addWritten(1).build());
  }

  private void done(long id) throws FdtException {
    session.onFileResults(FileResults.newBuilder().addDone(id).build(), failure -> {});
  }

  private void assertFigures(long bytesWritten, long framesRepeated) {
    assertThat(session.machine().bytesWritten()).as("bytes").isEqualTo(bytesWritten);
    assertThat(session.machine().framesRepeated()).as("repeated").isEqualTo(framesRepeated);
  }

  /** The receiver closes its streams at the end; that may be seen before its last messages. */
  @Test
  void aStreamThatEndsBeforeItsLastAcknowledgementMakesNoRepetition() throws FdtException {
    wanted(Entries.file(1, 0, 7), Entries.file(2, 0, 100));
    session.onSent(STREAM, 0, session.nextJob(lane));
    session.onSent(STREAM, 1, session.nextJob(lane));
    session.endManifest();
    session.onStreamClosed(STREAM);
    session.flush();
    assertThat(session.nextJob(lane)).as("what is read again").isNull();
    acknowledge(STREAM, 0);
    acknowledge(STREAM, 1);
    assertFigures(107, 0);
    done(1);
    done(2);
    session.onFinished(Finished.newBuilder().setBytes(107).build());
    assertFigures(107, 0);
  }

  @Test
  void aFileThatIsDoneIsWrittenWhateverWasAcknowledged() throws FdtException {
    wanted(Entries.file(1, 0, 300), Entries.file(2, 0, 7));
    for (int i = 0; i < 4; i++) {
      session.onSent(STREAM, i, session.nextJob(lane));
    }
    acknowledge(STREAM, 0);
    done(1);
    done(2);
    assertFigures(307, 0);
    acknowledge(STREAM, 1);
    acknowledge(STREAM, 2);
    acknowledge(STREAM, 3);
    assertFigures(307, 0);
  }

  @Test
  void onlyWhatLeavesAgainIsRepeated() throws FdtException {
    wanted(Entries.file(1, 0, 100));
    session.onSent(STREAM, 0, session.nextJob(lane));
    session.onStreamLost(STREAM);
    ReadJob<String> again = session.nextJob(lane);
    assertFigures(0, 0);
    session.onSent(STREAM + 1, 0, again);
    assertFigures(0, 1);
    acknowledge(STREAM, 0); // it was written after all; its second copy is said to be, too
    acknowledge(STREAM + 1, 0);
    assertFigures(100, 1);
  }

  @Test
  void aPackOfWhichAPartIsKnownToBeDoneCountsWhole() throws FdtException {
    wanted(Entries.file(1, 0, 5), Entries.file(2, 0, 7));
    session.onSent(STREAM, 0, session.nextJob(lane));
    done(1);
    session.onStreamLost(STREAM);
    session.onSent(STREAM + 1, 0, session.nextJob(lane));
    acknowledge(STREAM + 1, 0);
    assertFigures(12, 1);
    done(2);
    assertFigures(12, 1);
  }

  @Test
  void whatIsWrittenOfAFileThatFailsLaterStaysCounted() throws FdtException {
    wanted(Entries.file(1, 0, 300));
    session.onSent(STREAM, 0, session.nextJob(lane));
    session.onSent(STREAM, 1, session.nextJob(lane));
    acknowledge(STREAM, 0);
    session.onFileResults(
        FileResults.newBuilder().addFailed(FileFailure.newBuilder().setId(1).setCode(24)).build(),
        failure -> {});
    acknowledge(STREAM, 1);
    assertFigures(128, 0);
    session.endManifest();
    session.onFinished(Finished.newBuilder().setBytes(200).build()); // a write failed in the middle
    assertFigures(200, 0);
  }

  /** A block that could not be written is acknowledged like others. */
  @Test
  void theReceiverSaysHowMuchOfAFailedFileIsMissing() throws FdtException {
    wanted(Entries.file(1, 0, 200), Entries.file(2, 0, 300));
    session.onSent(STREAM, 0, session.nextJob(lane));
    session.onSent(STREAM, 1, session.nextJob(lane));
    acknowledge(STREAM, 0);
    acknowledge(STREAM, 1);
    FileFailure.Builder full = FileFailure.newBuilder().setCode(24);
    session.onFileResults(
        FileResults.newBuilder().addFailed(full.setId(1).setMissing(72)).build(), failure -> {});
    assertThat(session.machine().failedBytes()).isEqualTo(72);
    session.onFileResults(
        FileResults.newBuilder().addFailed(full.setId(2).setMissing(-1)).build(), failure -> {});
    assertThat(session.machine().failedBytes())
        .as("never more than the file has")
        .isEqualTo(72 + 300);
  }

  @Test
  void aReceiverThatClaimsMoreThanWasSentIsNotBelieved() throws FdtException {
    wanted(Entries.file(1, 0, 100));
    session.onSent(STREAM, 0, session.nextJob(lane));
    acknowledge(STREAM, 0);
    done(1);
    session.endManifest();
    session.onFinished(Finished.newBuilder().setBytes(101).build());
    assertFigures(100, 0);
  }
}
