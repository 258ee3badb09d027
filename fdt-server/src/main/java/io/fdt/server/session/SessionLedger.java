package io.fdt.server.session;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.TransferFigures;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Totals of a server's running and ended sessions, by token and export. Its size grows with the
 * numbers of exports and tokens, not of sessions. Thread-safe.
 */
public final class SessionLedger {
  /** How the sessions that came to their end are called among the reasons of the others. */
  static final String DONE = "done";

  /**
   * Whose figures.
   *
   * @param isPull whether the server sends
   * @param export its name; "/" for an only export without one, "several" for more than one, empty
   *     for a network test, and where there is none of the name
   * @param token its label; "anonymous" for none
   */
  public record Account(boolean isPull, String export, String token) {
    // Written out: see DiskId.
    @Override
    public boolean equals(Object other) {
      return other instanceof Account account
          && account.isPull == isPull
          && account.export.equals(export)
          && account.token.equals(token);
    }

    @Override
    public int hashCode() {
      return 31 * export.hashCode() + token.hashCode();
    }
  }

  /** Sums over the sessions of one account. */
  public static final class Sums {
    public TransferFigures figures = TransferFigures.NONE;
    public long segmentsRepeated;

    /** Data streams that are open now. */
    public long streams;

    /** Bytes of blocks that wait in memory now. */
    public long waiting;

    /** Sessions that run now. */
    public long running;

    /**
     * How many sessions have ended how: {@link #DONE}, or the name of an error in small letters.
     */
    public final Map<String, Long> ended = new TreeMap<>();

    private void add(Progress session) {
      figures = figures.plus(session.figures());
      segmentsRepeated += session.segmentsRepeated();
    }

    private Sums copy() {
      Sums copy = new Sums();
      copy.figures = figures;
      copy.segmentsRepeated = segmentsRepeated;
      copy.ended.putAll(ended);
      return copy;
    }
  }

  private final Map<RunningSession, Account> running = new HashMap<>();
  private final Map<Account, Sums> ended = new HashMap<>();

  synchronized void began(RunningSession session, Account account) {
    running.put(session, account);
  }

  /**
   * A session has ended; one that never began is not counted.
   *
   * @param failure null when it came to its end
   */
  public synchronized void ended(RunningSession session, FdtException failure) {
    Account account = running.remove(session);
    if (account != null) {
      Sums sums = ended.computeIfAbsent(account, unused -> new Sums());
      sums.add(session.progress());
      sums.ended.merge(
          failure == null ? DONE : failure.code().name().toLowerCase(Locale.ROOT), 1L, Long::sum);
    }
  }

  /** All of it, now. */
  public synchronized Map<Account, Sums> sums() {
    Map<Account, Sums> sums = new HashMap<>();
    ended.forEach((account, done) -> sums.put(account, done.copy()));
    running.forEach(
        (session, account) -> {
          Sums sum = sums.computeIfAbsent(account, unused -> new Sums());
          Progress progress = session.progress();
          sum.add(progress);
          sum.streams += progress.streams();
          sum.waiting += progress.bytesWaiting();
          sum.running++;
        });
    return sums;
  }
}
