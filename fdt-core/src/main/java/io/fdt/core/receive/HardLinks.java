package io.fdt.core.receive;

import io.fdt.core.engine.DiskWork;
import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.receive.FirstNames.FirstName;
import io.fdt.core.session.receiver.IncomingFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Creates the other names of files once their first one exists.
 *
 * <p>Confined to the session's loop; links are created on disk threads.
 */
final class HardLinks {
  private static final byte[] NO_DIGEST = {};

  private final FirstNames firstNames;
  private final ReceiverEvents machine;
  private final DiskWorkers writers;
  private final FilePublisher publisher;
  private final Map<FirstName, List<IncomingFile<ReceivedFileWriter>>> waiting = new HashMap<>();

  HardLinks(
      FirstNames firstNames, ReceiverEvents machine, DiskWorkers writers, FilePublisher publisher) {
    this.firstNames = firstNames;
    this.machine = machine;
    this.writers = writers;
    this.publisher = publisher;
  }

  /** Adds a file that becomes another name of its first one. */
  void add(IncomingFile<ReceivedFileWriter> file) {
    FirstName first = file.writer().firstName();
    if (firstNames.stateOf(first) == FirstNames.State.OPEN) {
      waiting.computeIfAbsent(first, f -> new ArrayList<>()).add(file);
    } else {
      link(file, first);
    }
  }

  /** Handles the outcome of a file that may be the first name of others. */
  void settled(IncomingFile<ReceivedFileWriter> file) {
    ErrorCode failure = file.failure();
    byte[] digest = failure != null || file.writer() == null ? NO_DIGEST : file.digest();
    FirstName first = firstNames.settled(file.entry(), failure, digest);
    List<IncomingFile<ReceivedFileWriter>> others = first == null ? null : waiting.remove(first);
    if (others != null) {
      others.forEach(other -> link(other, first));
    }
  }

  private void link(IncomingFile<ReceivedFileWriter> file, FirstName first) {
    ReceivedFileWriter writer = file.writer();
    ErrorCode cause = firstNames.failureOf(first);
    if (cause != null) {
      FdtException failure =
          new FdtException(
              cause,
              "'%s' is a hard link to '%s', which did not arrive; run the command again"
                  .formatted(writer.path(), first.place().path()));
      machine.post(to -> to.linked(file, NO_DIGEST, failure));
      return;
    }
    byte[] digest = firstNames.digestOf(first);
    writers.submit(
        writer.disk(),
        () -> {
          FdtException failure =
              DiskWork.attempt(
                  () -> {
                    linkOrCopy(writer, first, digest);
                    publisher.forceName(writer);
                  });
          machine.post(to -> to.linked(file, digest, failure));
        });
  }

  /**
   * Gives a file another name. At the maximum number of links, copies the file; later names become
   * links to the copy.
   */
  private void linkOrCopy(ReceivedFileWriter writer, FirstName first, byte[] digest)
      throws FdtException {
    Place tried = first.place();
    if (writer.linkTo(tried, first.size())) {
      return;
    }
    synchronized (first) {
      if (!first.place().equals(tried) && writer.linkTo(first.place(), first.size())) {
        return; // another thread has begun one
      }
      if (!writer.isThere()) {
        try {
          writer.copy(first.place());
          publisher.publishCopy(writer, digest);
        } catch (FdtException e) {
          writer.discard();
          throw e;
        }
      }
      first.moveTo(writer.place());
    }
  }
}
