package io.fdt.service.task;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The best number of concurrent tasks on a link. Success has priority, then throughput: if attempts
 * fail, fewer run; if they succeed, one more is tried as long as the link gets faster.
 *
 * <pre>
 *   WATCH  count attempts and bytes for a minute, and for at least 4 attempts or a full link
 *     under 90 % succeeded (or under half of 4):  places -1 (halved)      a link in trouble
 *     not all places were used:                   nothing to learn
 *     not 5 % faster than one place fewer:        places -1               the last one is useless
 *     one more was no faster, less than 10 minutes ago:  stay
 *     else:                                       places +1               still growing
 * </pre>
 *
 * <p>Immutable and pure: each change creates a new value, which is stored, so that all processes
 * share it and it survives a restart. Times are milliseconds since 1970.
 *
 * @param places tasks that may run at once now
 * @param since when the window began
 * @param succeeded attempts that succeeded in the window
 * @param failed attempts that had a fault in the window
 * @param bytes moved in the window
 * @param full whether all places were used during it
 * @param triedAt when places changed last
 * @param rates bytes per second measured with 1, 2, ... places; 0 for none
 */
public record LinkPace(
    int places,
    long since,
    long succeeded,
    long failed,
    long bytes,
    boolean full,
    long triedAt,
    List<Long> rates) {
  /** The start of a link: the default number of tasks of an endpoint. */
  public static final int FIRST = 4;

  public static final int MOST = 64;

  static final long WINDOW_MILLIS = 60_000;
  static final long AGAIN_MILLIS = 600_000;

  /** The fewest attempts of a window that tell the success of a link. */
  static final long FEW = 4;

  private static final double GOOD = 0.9;
  private static final double BAD = 0.5;
  private static final double BETTER = 1.05;

  /** The weight of the known rate; the new window has the rest. */
  private static final double MEMORY = 0.5;

  public LinkPace {
    rates = List.copyOf(rates);
  }

  /** A link that was never used. */
  public static LinkPace begin(long now) {
    return new LinkPace(FIRST, now, 0, 0, 0, false, now, List.of());
  }

  /** Counts an attempt that has ended. */
  public LinkPace ended(boolean success) {
    return new LinkPace(
        places,
        since,
        succeeded + (success ? 1 : 0),
        failed + (success ? 0 : 1),
        bytes,
        full,
        triedAt,
        rates);
  }

  /** Counts bytes that running tasks have moved. */
  public LinkPace moved(long more, int running) {
    return new LinkPace(
        places,
        since,
        succeeded,
        failed,
        bytes + Math.max(0, more),
        full || running >= places,
        triedAt,
        rates);
  }

  /** Decides once the window is over. */
  public LinkPace look(long now) {
    long attempts = succeeded + failed;
    if (failed >= FEW && succeeded < attempts * BAD) {
      return to(Math.max(1, places / 2), now, rates); // at once
    }
    if (now < since) {
      return restarted(now, rates); // the clock was put back
    }
    if (now - since < WINDOW_MILLIS) {
      return this;
    }
    if (attempts >= FEW && succeeded < attempts * GOOD) {
      return to(Math.max(1, places - 1), now, rates);
    }
    if (!full) {
      return restarted(now, rates);
    }
    long rate = bytes * 1000 / (now - since);
    List<Long> known = with(places, rate);
    long mine = rate(known, places);
    long before = rate(known, places - 1);
    long next = rate(known, places + 1);
    if (before > 0 && mine <= before * BETTER) {
      return to(places - 1, now, known);
    }
    boolean isWorthATry = next == 0 || next > mine * BETTER || now - triedAt >= AGAIN_MILLIS;
    return isWorthATry ? to(Math.min(MOST, places + 1), now, known) : restarted(now, known);
  }

  private List<Long> with(int count, long rate) {
    Long[] all = new Long[Math.max(count, rates.size())];
    Arrays.fill(all, 0L);
    for (int i = 0; i < rates.size(); i++) {
      all[i] = rates.get(i);
    }
    long old = all[count - 1];
    all[count - 1] = old == 0 ? rate : (long) (old * MEMORY + rate * (1 - MEMORY));
    return List.of(all);
  }

  private static long rate(List<Long> all, int count) {
    return count < 1 || count > all.size() ? 0 : all.get(count - 1);
  }

  private LinkPace to(int other, long now, List<Long> known) {
    return new LinkPace(other, now, 0, 0, 0, false, now, known);
  }

  private LinkPace restarted(long now, List<Long> known) {
    return new LinkPace(places, now, 0, 0, 0, false, triedAt, known);
  }

  /** The text that {@link #ofText} reads. */
  public String text() {
    return "%d %d %d %d %d %d %d %s"
        .formatted(
            places,
            since,
            succeeded,
            failed,
            bytes,
            full ? 1 : 0,
            triedAt,
            rates.isEmpty()
                ? "-"
                : rates.stream().map(String::valueOf).collect(Collectors.joining(",")));
  }

  /** Reads a stored pace; empty for the text of another version. */
  public static Optional<LinkPace> ofText(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length != 8) {
      return Optional.empty();
    }
    try {
      List<Long> rates =
          parts[7].equals("-")
              ? List.of()
              : Arrays.stream(parts[7].split(",", -1)).map(Long::valueOf).toList();
      int places = Integer.parseInt(parts[0]);
      if (places < 1 || places > MOST || rates.size() > MOST) {
        return Optional.empty();
      }
      return Optional.of(
          new LinkPace(
              places,
              Long.parseLong(parts[1]),
              Long.parseLong(parts[2]),
              Long.parseLong(parts[3]),
              Long.parseLong(parts[4]),
              parts[5].equals("1"),
              Long.parseLong(parts[6]),
              rates));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
