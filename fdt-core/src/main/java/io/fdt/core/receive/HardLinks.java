package io.fdt.core.receive;

import io.fdt.core.engine.DiskScheduler;
import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.receive.FirstNames.FirstName;
import io.fdt.core.session.IncomingFile;
import io.fdt.core.session.ReceiverSession;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives files their other names once they have their first one.
 *
 * <p>Confined to the session's event loop; the links are made on threads of disks.
 */
final class HardLinks {
  /** Hears that a link is made, or why not (else null). */
  interface Listener {
    void linked(IncomingFile<ReceivedFileWriter> file, FdtException failure);
  }

  private final FirstNames firstNames;
  private final ReceiverSession<ReceivedFileWriter> session;
  private final SessionLoop loop;
  private final DiskScheduler writers;
  private final FilePublisher finisher;
  private final Listener listener;
  private final Map<FirstName, List<IncomingFile<ReceivedFileWriter>>> waiting = new HashMap<>();

  HardLinks(
      FirstNames firstNames,
      ReceiverSession<ReceivedFileWriter> session,
      SessionLoop loop,
      DiskScheduler writers,
      FilePublisher finisher,
      Listener listener) {
    this.firstNames = firstNames;
    this.session = session;
    this.loop = loop;
    this.writers = writers;
    this.finisher = finisher;
    this.listener = listener;
  }

  /** A file is to become another name of this one. */
  void add(IncomingFile<ReceivedFileWriter> file, FirstName first) {
    session.onLinked(file);
    if (firstNames.stateOf(first) == FirstNames.State.OPEN) {
      waiting.computeIfAbsent(first, f -> new ArrayList<>()).add(file);
    } else {
      link(file, first);
    }
  }

  /** A file has an outcome. */
  void settled(IncomingFile<ReceivedFileWriter> file, boolean failed) {
    if (file.entry().metadata().nameCount() < 2) {
      return;
    }
    byte[] digest = failed || file.handle() == null ? new byte[0] : file.digest();
    FirstName first = firstNames.settled(file.entry(), failed, digest);
    List<IncomingFile<ReceivedFileWriter>> others = first == null ? null : waiting.remove(first);
    if (others != null) {
      others.forEach(other -> link(other, first));
    }
  }

  private void link(IncomingFile<ReceivedFileWriter> file, FirstName first) {
    if (firstNames.stateOf(first) == FirstNames.State.FAILED) {
      FdtException failure =
          new FdtException(
              ErrorCode.NOT_FOUND,
              "'%s' should be another name of '%s', which did not arrive; run it again"
                  .formatted(file.handle().path(), first.place().path()));
      loop.post(() -> listener.linked(file, failure));
      return;
    }
    ReceivedFileWriter handle = file.handle();
    file.setPackedDigest(firstNames.digestOf(first));
    writers.submit(
        handle.disk(),
        () -> {
          FdtException failure =
              DiskWork.attempt(
                  () -> {
                    handle.linkTo(first.place(), first.size());
                    finisher.forceName(handle);
                  });
          loop.post(() -> listener.linked(file, failure));
        });
  }
}
