package io.fdt.core.session;

import io.fdt.core.manifest.Range;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.PartialFile;
import io.fdt.core.wire.control.Verdict;
import io.fdt.core.wire.control.VerdictRun;
import io.fdt.core.wire.control.Verdicts;
import java.util.List;

/**
 * What a receiver has found out of entries and not yet told: one verdict after another in the order
 * of the manifest, in runs of the same. Confined to the thread of its {@link ReceiverSession}.
 */
final class VerdictList {
  private final Verdicts.Builder message = Verdicts.newBuilder();

  /** The run that goes on; it is in no message yet. */
  private Verdict verdict;

  private long firstId;
  private long last;

  /** The last entry that a verdict was given on; 0 for none. */
  long last() {
    return last;
  }

  /**
   * The verdict on the next entry.
   *
   * @param kept ranges of it that need not be sent
   */
  void add(long id, Verdict found, List<Range> kept) {
    if (id != last + 1) {
      throw new IllegalStateException("verdict on " + id + " after " + last);
    }
    if (found != verdict) {
      endRun();
      verdict = found;
      firstId = id;
    }
    last = id;
    if (!kept.isEmpty()) {
      message.addPartialFiles(partial(id, kept));
    }
  }

  /** The ranges of a file that need not be sent, as a message. */
  static PartialFile partial(long id, List<Range> kept) {
    PartialFile.Builder partial = PartialFile.newBuilder().setId(id);
    kept.forEach(range -> partial.addKept(range.start()).addKept(range.end()));
    return partial.build();
  }

  private void endRun() {
    if (verdict != null) {
      message.addRuns(
          VerdictRun.newBuilder()
              .setFirstId(firstId)
              .setCount(last + 1 - firstId)
              .setVerdict(verdict));
      verdict = null;
    }
  }

  /** Sends what was collected, if anything. */
  void flush(Outbox outbox) {
    endRun();
    if (message.getRunsCount() > 0) {
      outbox.send(Control.newBuilder().setVerdicts(message.build()));
      message.clear();
    }
  }
}
