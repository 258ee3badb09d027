package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.manifest.Entry;
import io.fdt.core.manifest.EntryKind;
import io.fdt.core.manifest.FileName;
import io.fdt.core.manifest.SyncRule;
import io.fdt.core.manifest.Timestamp;
import io.fdt.core.session.SenderSession;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.PartialFile;
import io.fdt.core.wire.control.Verdict;
import io.fdt.core.wire.control.VerdictRun;
import io.fdt.core.wire.control.Verdicts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Files that would be sent: of a dry run the fate is known, elsewhere a receiver may not say so.
 */
class VerdictRuleTest {
  private static final Verdicts DUE =
      Verdicts.newBuilder()
          .addRuns(VerdictRun.newBuilder().setFirstId(1).setCount(2).setVerdict(Verdict.DUE))
          .addPartialFiles(PartialFile.newBuilder().setId(2).addKept(10).addKept(40))
          .build();

  @Test
  void noReceiverPassesOverFilesOfATransfer() throws FdtException {
    VerdictRule.check(DUE, settings(SyncRule.Level.MTIME, true));
    assertThatThrownBy(() -> VerdictRule.check(DUE, settings(SyncRule.Level.MTIME, false)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  @Test
  void noReceiverHasFilesReadForNothing() throws FdtException {
    Verdicts compare =
        Verdicts.newBuilder()
            .addRuns(VerdictRun.newBuilder().setFirstId(1).setCount(1).setVerdict(Verdict.COMPARE))
            .build();
    VerdictRule.check(compare, settings(SyncRule.Level.CHECKSUM, false));
    assertThatThrownBy(() -> VerdictRule.check(compare, settings(SyncRule.Level.MTIME, false)))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  /** A second verdict passes over no file, and makes no link, where a first one may not. */
  @Test
  void secondVerdictsAreHeldToTheSameRule() throws FdtException {
    VerdictRule.check(compared(Verdict.DUE), settings(SyncRule.Level.CHECKSUM, true));
    VerdictRule.check(compared(Verdict.WANTED), settings(SyncRule.Level.CHECKSUM, false));
    assertRefused(compared(Verdict.DUE), false);
    assertRefused(compared(Verdict.LINKED), true);
  }

  private static void assertRefused(Compared compared, boolean dryRun) {
    TransferSettings settings = settings(SyncRule.Level.CHECKSUM, dryRun);
    assertThatThrownBy(() -> VerdictRule.check(compared, settings))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL));
  }

  private static Compared compared(Verdict verdict) {
    return Compared.newBuilder()
        .addFiles(ComparedFile.newBuilder().setId(1).setVerdict(verdict))
        .build();
  }

  private static TransferSettings settings(SyncRule.Level level, boolean dryRun) {
    return new TransferSettings(
        1 << 20, 1, 0, 0, Assurance.DEFAULT, new SyncRule(level, false), dryRun);
  }

  @Test
  void aFileThatIsDueIsSettledAndCountsWithWhatIsMissingOfIt() throws FdtException {
    List<String> settled = new ArrayList<>();
    SenderSession<String> session =
        new SenderSession<>(
            1 << 20,
            message -> {},
            (file, fate, code, message) ->
                settled.add(file.source() + " " + fate + " " + file.toSend()));
    int lane = session.addLane();
    session.offer(file(1, "a", 100), "a", lane);
    session.offer(file(2, "b", 100), "b", lane);

    session.onVerdicts(DUE);

    assertThat(settled).containsExactly("a DUE 100", "b DUE 70");
    assertThat(session.bytesWanted()).isEqualTo(170);
    assertThat(session.bytesKept()).isEqualTo(30);
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
