package io.fdt.core.session.sender;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.SyncRule;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;

/** Checks decisions that are valid only in some sessions. */
public final class DecisionRule {
  private DecisionRule() {}

  /**
   * Checks first decisions.
   *
   * @throws FdtException PROTOCOL for a file that is due outside a dry run, linked in a dry run,
   *     compared although comparing is off, or newer without update
   */
  public static void check(Decisions decisions, TransferSpec spec) throws FdtException {
    for (DecisionRun run : decisions.getRunsList()) {
      check(run.getDecision(), spec);
    }
  }

  /** Checks second decisions, on compared files. */
  public static void check(Compared compared, TransferSpec spec) throws FdtException {
    for (ComparedFile file : compared.getFilesList()) {
      check(file.getDecision(), spec);
    }
  }

  private static void check(Decision decision, TransferSpec spec) throws FdtException {
    boolean isDue = decision == Decision.DUE || decision == Decision.REPLACEMENT_DUE;
    if (isDue && !spec.dryRun()) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "decision " + decision.name() + " outside a dry run");
    }
    if ((decision == Decision.LINKED || decision == Decision.CHECK) && spec.dryRun()) {
      throw new FdtException(ErrorCode.PROTOCOL, "decision " + decision.name() + " in a dry run");
    }
    if (decision == Decision.NEWER && !spec.sync().update()) {
      throw new FdtException(ErrorCode.PROTOCOL, "decision NEWER without update");
    }
    if (decision == Decision.COMPARE && spec.sync().level() != SyncRule.Level.CHECKSUM) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "decision COMPARE at sync level %s; CHECKSUM is needed".formatted(spec.sync().level()));
    }
  }
}
