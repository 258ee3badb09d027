package io.fdt.core.tuning.rate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One rate for all sessions of a server: divided fairly among its clients, and of each client among
 * its sessions.
 *
 * <p>A session that uses its share demands more; others demand slightly more than they use. Unused
 * shares go to others within two intervals, and return in the same way. The sum of the shares never
 * exceeds the rate. Time is an argument.
 *
 * <p>Thread-safe.
 */
public final class SharedRate {
  /** The interval between calls of {@link #divide}. */
  public static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * A session that used at least this share of its allowance in the last intervals counts as
   * limited by it.
   */
  private static final double USED_UP = 0.85;

  /** The factor above the used rate, so that a session can show a higher demand. */
  private static final double ROOM = 1.25;

  /** The fraction of an equal share that an idle session gets. */
  private static final double LEAST = 0.01;

  /** Intervals per decision: a single one may fall into a pause between two blocks. */
  private static final int LOOKS = 3;

  /** The minimum time between two reports that are compared. */
  private static final long LEAST_SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final List<Member> members = new ArrayList<>();

  /** The share of one session. */
  public static final class Member implements RateSource {
    private record Moved(long nanos, long bytes) {}

    private final Object client;
    private final double[] used = new double[LOOKS];
    private final double[] given = new double[LOOKS];
    private int looks;
    private Moved last;
    private volatile Moved moved;
    private volatile long rate = 1;

    private Member(Object client) {
      this.client = client;
    }

    @Override
    public long bytesPerSecond() {
      return rate;
    }

    @Override
    public void moved(long nowNanos, long wireBytes) {
      moved = new Moved(nowNanos, wireBytes);
    }

    private void look() {
      Moved now = moved;
      if (now == null || (last != null && now.nanos() - last.nanos() < LEAST_SPAN_NANOS)) {
        return;
      }
      if (last != null) {
        int turn = looks % LOOKS;
        used[turn] = (now.bytes() - last.bytes()) * 1e9 / (now.nanos() - last.nanos());
        given[turn] = rate == 0 ? Double.POSITIVE_INFINITY : rate;
        looks++;
      }
      last = now;
    }

    /** The demand in bytes per second. */
    private double wanted(double equalShare) {
      if (looks < LOOKS) {
        return Double.POSITIVE_INFINITY;
      }
      double mostUsed = Arrays.stream(used).max().orElse(0);
      double leastGiven = Arrays.stream(given).min().orElse(0);
      if (mostUsed >= USED_UP * leastGiven) {
        return Double.POSITIVE_INFINITY;
      }
      return Math.max(mostUsed * ROOM, equalShare * LEAST);
    }

    private void give(double share) {
      rate = Double.isInfinite(share) ? 0 : Math.max(1, (long) share);
    }
  }

  /**
   * Adds a session, which gets its share at the next {@link #divide}.
   *
   * @param client owner of the session; equal for the sessions of one client
   */
  public synchronized Member add(Object client) {
    Member member = new Member(client);
    members.add(member);
    return member;
  }

  /** Removes an ended session. Idempotent. */
  public synchronized void remove(Member member) {
    members.remove(member);
  }

  /**
   * Divides the rate anew.
   *
   * @param total bytes per second of all clients together; 0 for no limit
   * @param perClient bytes per second of each client; 0 for no limit
   */
  public synchronized void divide(long total, long perClient) {
    double all = total == 0 ? Double.POSITIVE_INFINITY : total;
    double most = perClient == 0 ? Double.POSITIVE_INFINITY : perClient;
    double equalShare = Math.min(all, most) / Math.max(1, members.size());
    Map<Object, List<Member>> clients = new LinkedHashMap<>();
    for (Member member : members) {
      member.look();
      clients.computeIfAbsent(member.client, c -> new ArrayList<>()).add(member);
    }
    List<List<Member>> sessions = List.copyOf(clients.values());
    List<double[]> wanted = new ArrayList<>();
    for (List<Member> some : sessions) {
      wanted.add(some.stream().mapToDouble(member -> member.wanted(equalShare)).toArray());
    }
    double[] shares =
        FairShares.all(
            all, wanted.stream().mapToDouble(w -> Arrays.stream(w).sum()).toArray(), most);
    for (int i = 0; i < shares.length; i++) {
      double[] parts = FairShares.all(shares[i], wanted.get(i), Double.POSITIVE_INFINITY);
      for (int j = 0; j < parts.length; j++) {
        sessions.get(i).get(j).give(parts[j]);
      }
    }
  }
}
