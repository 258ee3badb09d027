package io.fdt.server.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.FileResult;
import io.fdt.core.filter.FilteredTransfer;
import io.fdt.core.filter.Filters;
import io.fdt.core.filter.ResultSpool;
import io.fdt.core.model.BytePath;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filters of a server around one session. {@link #before} blocks; the rest is confined to the
 * session's event loop.
 */
public final class SessionFilters {
  private static final Logger LOG = LoggerFactory.getLogger(SessionFilters.class);

  /**
   * The filters of a server.
   *
   * @param onThisMachine the local path of a client's path; null for a path in no export
   * @param before threads that run filters before a transfer
   * @param after threads that run them afterwards
   */
  public record Setup(
      Filters filters, UnaryOperator<BytePath> onThisMachine, Executor before, Executor after) {
    /** Whether a filter applies to this session. */
    boolean concern(SessionRequest wanted) {
      return !filters.isEmpty() && !wanted.isNettest() && !wanted.spec().dryRun();
    }
  }

  private final Setup setup;
  private final SessionRequest request;
  private final FilteredTransfer transfer;
  private final Optional<ResultSpool> spool;

  private SessionFilters(
      Setup setup, SessionRequest request, FilteredTransfer transfer, Optional<ResultSpool> spool) {
    this.setup = setup;
    this.request = request;
    this.transfer = transfer;
    this.spool = spool;
  }

  /** No filters, for a session to which none applies. */
  public static SessionFilters none(SessionRequest wanted) {
    return new SessionFilters(null, wanted, null, Optional.empty());
  }

  /**
   * Runs the filters before a session.
   *
   * @throws FdtException FILTER when a filter rejects the session
   */
  static SessionFilters before(Setup setup, SessionRequest wanted, String peer)
      throws FdtException {
    FilteredTransfer transfer =
        setup.filters.before(
            new FilteredTransfer(
                wanted.isPull(),
                peer,
                wanted.spec().sources(),
                wanted.spec().destination(),
                setup.onThisMachine));
    if (wanted.isPull() && transfer.sources().isEmpty()) {
      throw new FdtException(ErrorCode.FILTER, "the server's filters left nothing to transfer");
    }
    return new SessionFilters(
        setup,
        wanted.with(transfer.sources(), transfer.destination()),
        transfer,
        setup.filters.spool());
  }

  /** The request as the filters have changed it. */
  public SessionRequest request() {
    return request;
  }

  public void done(String path, long size, byte[] digest) {
    add(FileResult.FileOutcome.DONE, path, size, HexFormat.of().formatHex(digest), "");
  }

  public void unchanged(String path, long size) {
    add(FileResult.FileOutcome.UNCHANGED, path, size, "", "");
  }

  public void problem(String path, boolean skipped, String message) {
    add(
        skipped ? FileResult.FileOutcome.SKIPPED : FileResult.FileOutcome.FAILED,
        path,
        0,
        "",
        message);
  }

  /** Whether a filter reads the results of files. */
  public boolean wantsResults() {
    return spool.isPresent();
  }

  private void add(
      FileResult.FileOutcome outcome, String path, long size, String digest, String message) {
    spool.ifPresent(kept -> kept.add(outcome, path, size, digest, message));
  }

  /**
   * Runs the filters after a session, on their threads.
   *
   * @param failure null when the session completed
   */
  public void after(FdtException failure) {
    if (wantsResults()) {
      setup.after.execute(() -> runAfter(failure));
    }
  }

  private void runAfter(FdtException failure) {
    try {
      setup.filters.after(transfer, failure, spool.orElseThrow());
    } catch (FdtException e) {
      LOG.warn("filter failed peer={} reason={}", transfer.peer(), e.getMessage());
    } catch (RuntimeException | Error e) { // of a filter: the server goes on
      LOG.warn("filter failed peer={}", transfer.peer(), e);
    }
  }

  /** Releases the filters of a session that never began. */
  void drop() {
    spool.ifPresent(ResultSpool::discard);
  }
}
