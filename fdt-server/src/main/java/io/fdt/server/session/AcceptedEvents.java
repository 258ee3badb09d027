package io.fdt.server.session;

import io.fdt.core.engine.Session;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forwards events of an accepted session to the server's filters and logs. */
public record AcceptedEvents(
    Session session, String name, SessionFilters filters, SessionLog log, Digests digests)
    implements TransferEvents {
  /** Takes the digests of files that are in place. On the loop of the session. */
  @FunctionalInterface
  public interface Digests {
    void add(long size, byte[] digest);
  }

  private static final Logger LOG = LoggerFactory.getLogger(AcceptedEvents.class);

  @Override
  public void fileDone(Supplier<String> path, long size, boolean resumed, byte[] digest) {
    digests.add(size, digest);
    if (filters.wantsResults()) {
      filters.done(path.get(), size, digest);
    }
    log.done(path, size, digest);
  }

  @Override
  public void fileUnchanged(Supplier<String> path, long size, boolean isNewer, byte[] digest) {
    digests.add(size, digest);
    if (filters.wantsResults()) {
      filters.unchanged(path.get(), size);
    }
    log.unchanged(path, size, digest);
  }

  @Override
  public void fileUnfinished(Supplier<String> path, long written) {
    log.unfinished(path, written);
  }

  @Override
  public void deleted(String path, EntryKind kind, boolean pretended) {
    log.deleted(path);
  }

  @Override
  public void problem(String path, boolean skipped, ErrorCode code, String message) {
    filters.problem(path, skipped, message);
    log.problem(path, skipped, code, message);
    LOG.debug("not transferred session={} path={} reason={}", name, path, message);
  }

  @Override
  public void notice(String message) {
    LOG.info("notice session={} message={}", name, message);
  }

  @Override
  public void finished() {
    session.finish();
  }

  @Override
  public void failed(FdtException cause) {
    session.abort(cause);
  }
}
