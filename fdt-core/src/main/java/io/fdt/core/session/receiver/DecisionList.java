package io.fdt.core.session.receiver;

import io.fdt.core.model.Range;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import io.fdt.core.wire.control.DecisionRun;
import io.fdt.core.wire.control.Decisions;
import io.fdt.core.wire.control.PartialFile;
import java.util.List;
import java.util.function.Consumer;

/**
 * Unsent decisions, in the order of the manifest, as runs of equal ones. Confined to the thread of
 * its {@link ReceiverMachine}.
 */
final class DecisionList {
  private final Decisions.Builder message = Decisions.newBuilder();

  /** The decision of the current run, which is not in a message yet. */
  private Decision decision;

  private long firstId;
  private long last;

  /** The last entry with a decision; 0 for none. */
  long last() {
    return last;
  }

  /**
   * Adds the decision on the next entry.
   *
   * @param kept ranges of the file that need not be sent
   */
  void add(long id, Decision found, List<Range> kept) {
    if (id != last + 1) {
      throw new IllegalStateException("decision on " + id + " after " + last);
    }
    if (found != decision) {
      endRun();
      decision = found;
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
    if (decision != null) {
      message.addRuns(
          DecisionRun.newBuilder()
              .setFirstId(firstId)
              .setCount(last + 1 - firstId)
              .setDecision(decision));
      decision = null;
    }
  }

  /** Whether there are unsent decisions. */
  boolean hasAny() {
    return decision != null || message.getRunsCount() > 0;
  }

  /** Sends the collected decisions, if any. */
  void flush(Consumer<Control.Builder> messages) {
    endRun();
    if (message.getRunsCount() > 0) {
      messages.accept(Control.newBuilder().setDecisions(message.build()));
      message.clear();
    }
  }
}
