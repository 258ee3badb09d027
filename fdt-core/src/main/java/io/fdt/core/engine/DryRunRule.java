package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Verdict;
import io.fdt.core.wire.control.VerdictRun;
import io.fdt.core.wire.control.Verdicts;

/** What a receiver may say in a dry run, and only there. */
final class DryRunRule {
  private DryRunRule() {}

  /**
   * Makes sure that no file is passed over in a transfer.
   *
   * @throws FdtException PROTOCOL when a file is due and this is no dry run
   */
  static void check(Verdicts verdicts, boolean dryRun) throws FdtException {
    for (VerdictRun run : verdicts.getRunsList()) {
      if (run.getVerdict() == Verdict.LINKED && dryRun) {
        throw new FdtException(ErrorCode.PROTOCOL, "the receiver makes links in a dry run");
      }
      if (run.getVerdict() == Verdict.DUE && !dryRun) {
        throw new FdtException(ErrorCode.PROTOCOL, "the receiver takes this for a dry run");
      }
    }
  }
}
