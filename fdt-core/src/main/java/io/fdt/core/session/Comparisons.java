package io.fdt.core.session;

import io.fdt.core.model.Range;
import io.fdt.core.wire.control.Compared;
import io.fdt.core.wire.control.ComparedFile;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Decision;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Files of the receiver that are compared by their digests, which both ends make at the same time.
 *
 * <p>Memory: within the window of open entries, one digest each. Not thread-safe: confined to the
 * thread of its {@link ReceiverSession}.
 */
final class Comparisons<F> {
  private static final byte[] NOT_KNOWN = {};

  private final ReceiverSession.Actions<F> actions;

  /** Digests of what is at the destination, by the ids of files, while the sender's are open. */
  private final Map<Long, byte[]> here = new HashMap<>();

  private final Compared.Builder decisions = Compared.newBuilder();

  Comparisons(ReceiverSession.Actions<F> actions) {
    this.actions = actions;
  }

  /** The digest of what is at the destination; null when it cannot be made. */
  void here(IncomingFile<F> file, byte[] digest) {
    here.put(file.id(), digest == null ? NOT_KNOWN : digest);
    compareIfBothAreKnown(file);
  }

  /** The sender has said its digest. */
  void there(IncomingFile<F> file) {
    compareIfBothAreKnown(file);
  }

  private void compareIfBothAreKnown(IncomingFile<F> file) {
    if (file.hasEnd() && here.containsKey(file.id())) {
      actions.compared(file, Arrays.equals(here.remove(file.id()), file.takeComparedDigest()));
    }
  }

  /** The decision is known. */
  void end(IncomingFile<F> file, Decision decision, List<Range> kept) {
    ComparedFile.Builder compared =
        ComparedFile.newBuilder().setId(file.id()).setDecision(decision);
    if (!kept.isEmpty()) {
      compared.setPartial(DecisionList.partial(file.id(), kept));
    }
    decisions.addFiles(compared);
  }

  void forget(IncomingFile<F> file) {
    here.remove(file.id());
  }

  void flush(Outbox outbox) {
    if (decisions.getFilesCount() > 0) {
      outbox.send(Control.newBuilder().setCompared(decisions.build()));
      decisions.clear();
    }
  }
}
