package io.fdt.core.node;

import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.tuning.Observation;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Forwards the events of a session, with transformed observations. Confined to the event loop of
 * the session.
 *
 * @param look transforms an observation
 * @param rest the last observation at the end of the session, if any
 */
record ObservedEvents(
    TransferEvents events, UnaryOperator<Observation> look, Supplier<Optional<Observation>> rest)
    implements TransferEvents {
  @Override
  public void observed(Observation seen) {
    events.observed(look.apply(seen));
  }

  @Override
  public void problem(String path, boolean skipped, ErrorCode code, String message) {
    events.problem(path, skipped, code, message);
  }

  @Override
  public void fileDone(Supplier<String> path, long size, boolean resumed, byte[] digest) {
    events.fileDone(path, size, resumed, digest);
  }

  @Override
  public void fileUnchanged(Supplier<String> path, long size, boolean isNewer, byte[] digest) {
    events.fileUnchanged(path, size, isNewer, digest);
  }

  @Override
  public void fileDue(Supplier<String> path, long size, long toMove, boolean replaces) {
    events.fileDue(path, size, toMove, replaces);
  }

  @Override
  public void fileUnfinished(Supplier<String> path, long written) {
    events.fileUnfinished(path, written);
  }

  @Override
  public void deleted(String path, EntryKind kind, boolean pretended) {
    events.deleted(path, kind, pretended);
  }

  @Override
  public void notice(String message) {
    events.notice(message);
  }

  @Override
  public void finished() {
    rest.get().ifPresent(events::observed);
    events.finished();
  }

  @Override
  public void failed(FdtException cause) {
    rest.get().ifPresent(events::observed);
    events.failed(cause);
  }
}
