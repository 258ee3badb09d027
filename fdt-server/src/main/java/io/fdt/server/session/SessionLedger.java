package io.fdt.server.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.TransferFigures;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Totals of a server's running and ended transfers, sessions and files over HTTP, by token and
 * export. Its size grows with the numbers of exports and tokens, not of transfers. Thread-safe.
 */
public final class SessionLedger {
  /** The result of completed sessions in the counts by reason. */
  static final String DONE = "done";

  /**
   * The key of the figures.
   *
   * @param isPull whether the server sends
   * @param export its name; "/" for a single unnamed export, "several" for more than one, empty for
   *     a network test or an unknown name
   * @param token its label; "anonymous" for none
   */
  public record Account(boolean isPull, String export, String token) {
    // Not generated: see DiskId.
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
     * The number of ended sessions by result: {@link #DONE}, or the name of an error in lower case.
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

  private record Running(Account account, Supplier<Progress> progress) {}

  private final Map<Object, Running> running = new HashMap<>();
  private final Map<Account, Sums> ended = new HashMap<>();

  /** Counts a transfer until {@link #ended}. */
  public synchronized void began(Object transfer, Account account, Supplier<Progress> progress) {
    running.put(transfer, new Running(account, progress));
  }

  /**
   * Counts an ended transfer, unless it never began.
   *
   * @param failure null when it completed
   */
  public synchronized void ended(Object transfer, FdtException failure) {
    Running end = running.remove(transfer);
    if (end != null) {
      Sums sums = ended.computeIfAbsent(end.account(), unused -> new Sums());
      sums.add(end.progress().get());
      sums.ended.merge(result(failure), 1L, Long::sum);
    }
  }

  /** How a transfer has ended: {@link #DONE}, or the name of its error in small letters. */
  public static String result(FdtException failure) {
    return failure == null ? DONE : failure.code().name().toLowerCase(Locale.ROOT);
  }

  /** The current sums by account. */
  public synchronized Map<Account, Sums> sums() {
    Map<Account, Sums> sums = new HashMap<>();
    ended.forEach((account, done) -> sums.put(account, done.copy()));
    running
        .values()
        .forEach(
            one -> {
              Sums sum = sums.computeIfAbsent(one.account(), unused -> new Sums());
              Progress progress = one.progress().get();
              sum.add(progress);
              sum.streams += progress.streams();
              sum.waiting += progress.bytesWaiting();
              sum.running++;
            });
    return sums;
  }
}
