package io.fdt.core.session.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.Entry;
import io.fdt.core.session.Entries;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.session.sender.SenderDriver;
import io.fdt.core.wire.BatchCoding;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileEnds;
import io.fdt.core.wire.control.ManifestBatch;
import io.fdt.core.wire.control.PartialFile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges that an interrupted transfer left of a file whose source may have changed since. */
class DoubtfulRangesTest {
  private static final int BLOCK = 100;
  private static final CheckedRange FIRST = new CheckedRange(0, 250, 11);
  private static final CheckedRange SECOND = new CheckedRange(300, 400, 22);
  private static final CheckedRange PROVEN = new CheckedRange(500, 600, 33);

  private final ReceiverMachine<String> receiver =
      new ReceiverMachine<>(
          ReceiverDriver.spec(
              DigestMethod.of(Checksum.CRC32C, DigestMethod.MAX_CHUNK), DigestMethod.MAX_CHUNK),
          true);
  private final List<Control> answers = new ArrayList<>();

  private void receive(ReceiverEvent<String> event) throws FdtException {
    for (ReceiverAction<String> action : receiver.handle(event, 0)) {
      if (action instanceof ReceiverAction.Send<String> send) {
        answers.add(send.message().build());
      }
    }
  }

  private void placed() throws FdtException {
    Entry entry = Entries.file(1, 0, 1000);
    ManifestBatch.Builder batch = ManifestBatch.newBuilder().setFirstId(1);
    BatchCoding.encode(List.of(entry), batch);
    receive(to -> to.message(Control.newBuilder().setManifestBatch(batch).build()));
    receive(
        to ->
            to.entriesPlaced(
                List.of(
                    new PlacedEntry.Check<>(
                        entry, () -> "path", List.of(FIRST, SECOND), DoubtfulRangesTest::wanted))));
  }

  private static PlacedEntry.Wanted<String> wanted(List<CheckedRange> same) {
    List<CheckedRange> kept = new ArrayList<>(same);
    kept.add(PROVEN);
    return new PlacedEntry.Wanted<>(Entries.file(1, 0, 1000), () -> "path", "writer", kept, "", 0);
  }

  private void end(Integer... crcs) throws FdtException {
    FileEnd end = FileEnd.newBuilder().setId(1).addAllKeptCrc32C(List.of(crcs)).build();
    receive(
        to ->
            to.message(
                Control.newBuilder().setFileEnds(FileEnds.newBuilder().addFiles(end)).build()));
    receive(to -> to.woken());
  }

  @Test
  void theReceiverHasThemReadAndKeepsThoseThatTheSourceStillHas() throws FdtException {
    placed();

    assertThat(answers).hasSize(1);
    Decisions decisions = answers.get(0).getDecisions();
    assertThat(decisions.getRuns(0).getDecision()).isEqualTo(Decision.CHECK);
    assertThat(decisions.getPartialFiles(0).getKeptList()).containsExactly(0L, 250L, 300L, 400L);
    assertThat(receiver.areTotalsFinal()).isFalse();

    end(11, 99);

    ComparedFile compared = answers.get(1).getCompared().getFiles(0);
    assertThat(compared.getDecision()).isEqualTo(Decision.WANTED);
    assertThat(compared.getPartial().getKeptList()).containsExactly(0L, 250L, 500L, 600L);
    assertThat(receiver.bytesKept()).isEqualTo(350);
    assertThat(receiver.bytesWanted()).isEqualTo(650);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void aSenderThatAnswersForOtherRangesBreaksTheRules(int count) throws FdtException {
    placed();
    Integer[] crcs = new Integer[count];
    java.util.Arrays.fill(crcs, 11);
    assertThatThrownBy(() -> end(crcs))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void aFileThatTheSenderCannotReadAgainFails() throws FdtException {
    placed();
    FileEnd failed = FileEnd.newBuilder().setId(1).setCode(ErrorCode.IO.wireCode()).build();
    receive(
        to ->
            to.message(
                Control.newBuilder().setFileEnds(FileEnds.newBuilder().addFiles(failed)).build()));
    assertThat(receiver.failures()).isEqualTo(1);
    assertThat(receiver.bytesWanted()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = Checksum.class,
      names = {"CRC32C", "NONE"})
  void theSenderReadsThemAndSendsTheRest(Checksum checksum) throws FdtException {
    List<Control> sent = new ArrayList<>();
    SenderDriver<String> sender =
        new SenderDriver<>(
            BLOCK,
            DigestMethod.of(checksum, BLOCK),
            message -> sent.add(message.build()),
            (file, outcome, code, message) -> {});
    sender.offer(Entries.file(1, 0, 1000), "source", sender.addLane());
    sender.onDecisions(
        Decisions.newBuilder()
            .addRuns(DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(Decision.CHECK))
            .addPartialFiles(kept(0, 250, 300, 400))
            .build());
    List<String> read = new ArrayList<>();
    for (ReadJob<String> job = sender.nextJob(0); job != null; job = sender.nextJob(0)) {
      ReadJob.Check<String> check = (ReadJob.Check<String>) job;
      assertThat(check.isCrcOnly()).isTrue();
      read.add(check.offset() + "+" + check.length());
      sender.onChecked(check, 7, new byte[0]);
    }
    assertThat(read).containsExactly("0+100", "100+100", "200+50", "300+100");
    assertThat(sent).hasSize(1);
    FileEnd end = sent.get(0).getFileEnds().getFiles(0);
    assertThat(end.getKeptCrc32CCount()).isEqualTo(2);
    assertThat(end.getKeptCrc32C(1)).isEqualTo(7);

    sender.onCompared(
        Compared.newBuilder()
            .addFiles(
                ComparedFile.newBuilder()
                    .setId(1)
                    .setDecision(Decision.WANTED)
                    .setPartial(kept(0, 250)))
            .build());
    long bytes = 0;
    for (ReadJob<String> job = sender.nextJob(0); job != null; job = sender.nextJob(0)) {
      bytes += ((ReadJob.Block<String>) job).length();
    }
    assertThat(bytes).isEqualTo(750);
  }

  private static PartialFile kept(long... borders) {
    PartialFile.Builder partial = PartialFile.newBuilder().setId(1);
    for (long border : borders) {
      partial.addKept(border);
    }
    return partial.build();
  }

  @Test
  void aReceiverThatHasNothingOrAsksTwiceBreaksTheRules() throws FdtException {
    SenderDriver<String> sender =
        new SenderDriver<>(BLOCK, message -> {}, (file, outcome, code, message) -> {});
    sender.offer(Entries.file(1, 0, 1000), "source", sender.addLane());
    DecisionRun.Builder run =
        DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(Decision.CHECK);
    assertThatThrownBy(() -> sender.onDecisions(Decisions.newBuilder().addRuns(run).build()))
        .hasMessageContaining("0 ranges to check of entry 1; 1 to 4096 are allowed");

    SenderDriver<String> another =
        new SenderDriver<>(BLOCK, message -> {}, (file, outcome, code, message) -> {});
    another.offer(Entries.file(1, 0, 1000), "source", another.addLane());
    another.onDecisions(Decisions.newBuilder().addRuns(run).addPartialFiles(kept(0, 100)).build());
    another.onChecked((ReadJob.Check<String>) another.nextJob(0), 7, new byte[0]);
    Compared again =
        Compared.newBuilder()
            .addFiles(
                ComparedFile.newBuilder()
                    .setId(1)
                    .setDecision(Decision.CHECK)
                    .setPartial(kept(0, 100)))
            .build();
    assertThatThrownBy(() -> another.onCompared(again))
        .hasMessageContaining("file 1 was not compared");
  }
}
