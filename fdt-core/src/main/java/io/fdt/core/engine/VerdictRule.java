package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.SyncRule;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.Verdict;
import io.fdt.core.wire.control.VerdictRun;
import io.fdt.core.wire.control.Verdicts;

/** What a receiver may say in some sessions only. */
final class VerdictRule {
  private VerdictRule() {}

  /**
   * Makes sure that no file is passed over in a transfer, nor read for nothing.
   *
   * @throws FdtException PROTOCOL when a file is due and this is no dry run, or is to be linked and
   *     this is one, or is to be compared and nobody asked for that
   */
  static void check(Verdicts verdicts, TransferSettings settings) throws FdtException {
    for (VerdictRun run : verdicts.getRunsList()) {
      check(run.getVerdict(), settings);
    }
  }

  /** The same for second verdicts, on files that were compared. */
  static void check(Compared compared, TransferSettings settings) throws FdtException {
    for (ComparedFile file : compared.getFilesList()) {
      check(file.getVerdict(), settings);
    }
  }

  private static void check(Verdict verdict, TransferSettings settings) throws FdtException {
    if (verdict == Verdict.DUE && !settings.dryRun()) {
      throw new FdtException(ErrorCode.PROTOCOL, "the receiver takes this for a dry run");
    }
    if (verdict == Verdict.LINKED && settings.dryRun()) {
      throw new FdtException(ErrorCode.PROTOCOL, "the receiver makes links in a dry run");
    }
    if (verdict == Verdict.COMPARE && settings.sync().level() != SyncRule.Level.CHECKSUM) {
      throw new FdtException(ErrorCode.PROTOCOL, "the receiver compares what nobody asked for");
    }
  }
}
