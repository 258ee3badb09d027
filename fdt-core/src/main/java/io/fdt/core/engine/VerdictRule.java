package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.SyncRule;
import io.fdt.core.wire.control.Verdict;
import io.fdt.core.wire.control.VerdictRun;
import io.fdt.core.wire.control.Verdicts;

/** What a receiver may say in some sessions only. */
final class VerdictRule {
  private VerdictRule() {}

  /**
   * Makes sure that no file is passed over in a transfer, nor read for nothing.
   *
   * @throws FdtException PROTOCOL when a file is due and this is no dry run, or is to be compared
   *     and nobody asked for that
   */
  static void check(Verdicts verdicts, TransferSettings settings) throws FdtException {
    for (VerdictRun run : verdicts.getRunsList()) {
      if (run.getVerdict() == Verdict.DUE && !settings.dryRun()) {
        throw new FdtException(ErrorCode.PROTOCOL, "the receiver takes this for a dry run");
      }
      if (run.getVerdict() == Verdict.LINKED && settings.dryRun()) {
        throw new FdtException(ErrorCode.PROTOCOL, "the receiver makes links in a dry run");
      }
      if (run.getVerdict() == Verdict.COMPARE
          && settings.sync().level() != SyncRule.Level.CHECKSUM) {
        throw new FdtException(ErrorCode.PROTOCOL, "the receiver compares what nobody asked for");
      }
    }
  }
}
