package io.fdt.core.session.sender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.PartialFile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Files that would be sent: of a dry run the outcome is known, elsewhere a receiver may not say so.
 */
class DecisionRuleTest {
  private static final Decisions DUE =
      Decisions.newBuilder()
          .addRuns(DecisionRun.newBuilder().setFirstId(1).setCount(2).setDecision(Decision.DUE))
          .addPartialFiles(PartialFile.newBuilder().setId(2).addKept(10).addKept(40))
          .build();

  @Test
  void noReceiverPassesOverFilesOfATransfer() throws FdtException {
    DecisionRule.check(DUE, spec(SyncRule.Level.MTIME, true));
    assertThatThrownBy(() -> DecisionRule.check(DUE, spec(SyncRule.Level.MTIME, false)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void noReceiverHasFilesReadForNothing() throws FdtException {
    Decisions compare =
        Decisions.newBuilder()
            .addRuns(
                DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(Decision.COMPARE))
            .build();
    DecisionRule.check(compare, spec(SyncRule.Level.CHECKSUM, false));
    assertThatThrownBy(() -> DecisionRule.check(compare, spec(SyncRule.Level.MTIME, false)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void noReceiverKeepsNewerFilesUnasked() throws FdtException {
    Decisions newer =
        Decisions.newBuilder()
            .addRuns(DecisionRun.newBuilder().setFirstId(1).setCount(1).setDecision(Decision.NEWER))
            .build();
    SyncRule update = new SyncRule(SyncRule.Level.MTIME, true);
    DecisionRule.check(newer, TransferSpec.builder().sync(update).build());
    assertThatThrownBy(() -> DecisionRule.check(newer, spec(SyncRule.Level.MTIME, false)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  /** A second decision passes over no file, and makes no link, where a first one may not. */
  @Test
  void secondDecisionsAreHeldToTheSameRule() throws FdtException {
    DecisionRule.check(compared(Decision.DUE), spec(SyncRule.Level.CHECKSUM, true));
    DecisionRule.check(compared(Decision.WANTED), spec(SyncRule.Level.CHECKSUM, false));
    assertRefused(compared(Decision.DUE), false);
    assertRefused(compared(Decision.LINKED), true);
  }

  private static void assertRefused(Compared compared, boolean dryRun) {
    TransferSpec spec = spec(SyncRule.Level.CHECKSUM, dryRun);
    assertThatThrownBy(() -> DecisionRule.check(compared, spec))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  private static Compared compared(Decision decision) {
    return Compared.newBuilder()
        .addFiles(ComparedFile.newBuilder().setId(1).setDecision(decision))
        .build();
  }

  private static TransferSpec spec(SyncRule.Level level, boolean dryRun) {
    return TransferSpec.builder().sync(new SyncRule(level, false)).dryRun(dryRun).build();
  }

  @Test
  void aFileThatIsDueIsSettledAndCountsWithWhatIsMissingOfIt() throws FdtException {
    List<String> settled = new ArrayList<>();
    SenderDriver<String> session =
        new SenderDriver<>(
            spec(SyncRule.Level.CHECKSUM, true),
            message -> {},
            (file, outcome, code, message) ->
                settled.add(file.source() + " " + outcome + " " + file.toSend()));
    int lane = session.addLane();
    session.offer(file(1, "a", 100), "a", lane);
    session.offer(file(2, "b", 100), "b", lane);

    session.onDecisions(DUE);

    assertThat(settled).containsExactly("a DUE 100", "b DUE 70");
    assertThat(session.machine().bytesWanted()).isEqualTo(170);
    assertThat(session.machine().bytesKept()).isEqualTo(30);
    assertThat(session.nextJob(lane)).isNull();
  }

  private static Entry file(long id, String name, long size) {
    return new Entry(
        id,
        Entry.ROOT,
        FileName.of(name),
        EntryKind.FILE,
        size,
        0644,
        new Timestamp(1, 0),
        BytePath.EMPTY,
        0);
  }
}
