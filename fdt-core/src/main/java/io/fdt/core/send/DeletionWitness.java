package io.fdt.core.send;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.session.Outbox;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.wire.DeletionMessages;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Deleted;
import io.fdt.core.wire.control.Deletion;
import io.fdt.core.wire.control.DeletionAnswer;
import io.fdt.core.wire.control.DeletionRoots;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/**
 * The sender's part in a deletion: names the directories to delete in, and answers for each name in
 * question whether the source lacks it.
 *
 * <p>Confined to the session's event loop; lookups at the source run on disk threads.
 */
final class DeletionWitness {
  /**
   * The most bytes of roots in one message; with the longest path, a third of the longest message.
   */
  private static final int MAX_ROOT_BYTES = 256 << 10;

  private static final DiskId SOURCE = new DiskId("names");

  private final SessionLoop loop;
  private final boolean dryRun;
  private final SourceTree source;
  private final Outbox outbox;
  private final TransferEvents events;
  private final boolean isWanted;
  private boolean isAsked;
  private long deleted;
  private long failures;

  DeletionWitness(
      SessionLoop loop,
      TransferSpec spec,
      SourceTree source,
      Outbox outbox,
      TransferEvents events) {
    this.loop = loop;
    this.dryRun = spec.dryRun();
    this.isWanted = spec.delete();
    this.source = source;
    this.outbox = outbox;
    this.events = events;
  }

  long deleted() {
    return deleted;
  }

  long failures() {
    return failures;
  }

  /** Sends the roots of the deletion. Before the end of the manifest. */
  void sendRoots() {
    DeletionRoots.Builder roots = DeletionRoots.newBuilder();
    Set<BytePath> empty = Set.copyOf(source.emptyArrivals());
    int bytes = 0;
    for (BytePath path : source.arrivals()) {
      if (empty.contains(path)) {
        roots.addEmpty(roots.getPathsCount());
      }
      roots.addPaths(ByteString.copyFrom(path.bytes()));
      bytes += path.length();
      if (bytes >= MAX_ROOT_BYTES) {
        outbox.send(Control.newBuilder().setDeletionRoots(roots.build()));
        roots.clear();
        bytes = 0;
      }
    }
    outbox.send(Control.newBuilder().setDeletionRoots(roots));
  }

  /** Handles outcomes of names, and names in question. */
  void onDeletion(Deletion message, DiskWorkers disks) throws FdtException {
    if (!isWanted || isAsked || message.getAskCount() > DeletionMessages.MAX_NAMES) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "a question about %d names; at most %d are allowed, one question at a time, where any is"
              .formatted(message.getAskCount(), DeletionMessages.MAX_NAMES));
    }
    for (Deleted name : message.getDeletedList()) {
      tell(name);
    }
    if (!message.getNotice().isEmpty()) {
      events.notice(MessageText.received(message.getNotice()));
    }
    List<List<FileName>> paths = new ArrayList<>(message.getAskCount());
    for (ByteString path : message.getAskList()) {
      paths.add(DeletionMessages.decode(path));
    }
    isAsked = true;
    disks.submit(
        SOURCE,
        () -> {
          BitSet[] lacking = {new BitSet()};
          FdtException failure = DiskWork.attempt(() -> lacking[0] = source.lacking(paths));
          loop.post(() -> answer(lacking[0], failure));
        });
  }

  private void tell(Deleted name) {
    String path = MessageText.receivedPath(name.getPath());
    if (name.getCode() != 0) {
      failures += DeletionMessages.isOfAName(name) ? 1 : 0;
      ErrorCode code = ErrorCode.ofWireCode(name.getCode());
      events.problem(path, false, code, MessageText.received(name.getMessage()));
    } else {
      deleted++;
      events.deleted(path, DeletionMessages.kindOf(name.getKind()), dryRun);
    }
  }

  private void answer(BitSet lacking, FdtException failure) {
    isAsked = false;
    if (failure != null) {
      events.failed(failure);
      return;
    }
    outbox.send(
        Control.newBuilder()
            .setDeletionAnswer(
                DeletionAnswer.newBuilder()
                    .setLacking(ByteString.copyFrom(lacking.toByteArray()))));
  }
}
