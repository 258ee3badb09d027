package io.fdt.core.session.receiver;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Root;
import io.fdt.core.model.SyncRule;
import io.fdt.core.spec.TransferSpec;
import java.util.List;

/**
 * Accepts a file of unknown size only as the single file of a session, without options that need
 * the size.
 *
 * <p>Not thread-safe: confined to the session's event loop.
 */
final class StreamedFileRule {
  private final TransferSpec spec;
  private final boolean takesStreams;
  private boolean isExpected;

  /**
   * @param takesStreams whether the destination accepts a file of unknown size
   */
  StreamedFileRule(TransferSpec spec, boolean takesStreams) {
    this.takesStreams = takesStreams;
    this.spec = spec;
  }

  /**
   * Checks the roots; a root without a name announces the file.
   *
   * @throws FdtException PROTOCOL when this session does not allow it
   */
  void check(List<Root> roots) throws FdtException {
    isExpected = roots.stream().anyMatch(Root::needsName);
    if (isExpected && !(takesStreams && roots.size() == 1 && fitsSettings())) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          ("a file of unknown size among %d roots; it must be alone, and the options and the"
                  + " destination must not need its size")
              .formatted(roots.size()));
    }
  }

  private boolean fitsSettings() {
    return !spec.dryRun()
        && spec.sync().equals(SyncRule.DEFAULT)
        && !spec.delete()
        && !spec.digestMethod().isOfChunks();
  }

  /**
   * Checks the entries: the file must be the only one, directly beneath the destination.
   *
   * @throws FdtException PROTOCOL when this session does not allow it
   */
  void checkEntries(List<Entry> entries) throws FdtException {
    for (Entry entry : entries) {
      if (entry.metadata().sizeUnknown() != isExpected || (isExpected && entry.id() != 1)) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "entry %d, of %s size, in a session of %s"
                .formatted(
                    entry.id(),
                    entry.metadata().sizeUnknown() ? "unknown" : "known",
                    isExpected ? "one stream" : "files"));
      }
    }
  }
}
