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
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filters of a server around one session. {@link #before} and {@link #after} block; the rest is
 * for the session's event loop, and between the two.
 */
public final class SessionFilters {
  private static final Logger LOG = LoggerFactory.getLogger(SessionFilters.class);

  private final Filters filters;
  private final SessionRequest request;
  private final FilteredTransfer transfer;
  private final Optional<ResultSpool> spool;

  private SessionFilters(
      Filters filters,
      SessionRequest request,
      FilteredTransfer transfer,
      Optional<ResultSpool> spool) {
    this.filters = filters;
    this.request = request;
    this.transfer = transfer;
    this.spool = spool;
  }

  /** Whether this session is one to filter. */
  static boolean concern(Filters filters, SessionRequest wanted) {
    return !filters.isEmpty() && !wanted.isNettest() && !wanted.spec().dryRun();
  }

  /** Around a session that no filter sees. */
  public static SessionFilters none(SessionRequest wanted) {
    return new SessionFilters(Filters.NONE, wanted, null, Optional.empty());
  }

  /**
   * Asks the filters.
   *
   * @param onThisMachine where a path of a client is; null for nowhere
   * @throws FdtException FILTER when they do not want the session
   */
  static SessionFilters before(
      Filters filters, SessionRequest wanted, String peer, UnaryOperator<BytePath> onThisMachine)
      throws FdtException {
    FilteredTransfer transfer =
        filters.before(
            new FilteredTransfer(
                wanted.isPull(),
                peer,
                wanted.spec().sources(),
                wanted.spec().destination(),
                onThisMachine));
    if (wanted.isPull() && transfer.sources().isEmpty()) {
      throw new FdtException(ErrorCode.FILTER, "the server's filters left nothing to transfer");
    }
    return new SessionFilters(
        filters,
        wanted.with(transfer.sources(), transfer.destination()),
        transfer,
        filters.spool());
  }

  /** What the filters have agreed to. */
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

  /** Whether anybody wants to know of files. */
  public boolean wantsResults() {
    return spool.isPresent();
  }

  private void add(
      FileResult.FileOutcome outcome, String path, long size, String digest, String message) {
    spool.ifPresent(kept -> kept.add(outcome, path, size, digest, message));
  }

  /**
   * Tells the filters.
   *
   * @param failure null when the session came to its end
   */
  public void after(FdtException failure) {
    try {
      filters.after(transfer, failure, spool.orElseThrow());
    } catch (FdtException e) {
      LOG.warn("filter failed peer={} reason={}", transfer.peer(), e.getMessage());
    } catch (RuntimeException | Error e) { // of a filter: the server goes on
      LOG.warn("filter failed peer={}", transfer.peer(), e);
    }
  }

  /** The session never began. */
  void drop() {
    spool.ifPresent(ResultSpool::discard);
  }
}
