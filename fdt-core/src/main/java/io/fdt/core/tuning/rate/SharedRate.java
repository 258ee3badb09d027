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
 * <p>A session that uses its share wants more; others want a little more than they use. Unused
 * shares go to others with the second look at the latest, and come back in the same way. All that
 * is given never exceeds what there is, whatever the sessions do. Time is an argument.
 *
 * <p>Thread-safe.
 */
public final class SharedRate {
  /** How often {@link #divide} is to be called. */
  public static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * A session that used at least this share of its allowance in the last looks counts as limited by
   * it.
   */
  private static final double USED_UP = 0.85;

  /** More than was used: room to show that more is wanted. */
  private static final double ROOM = 1.25;

  /** The part of an equal share for an idle session. */
  private static final double LEAST = 0.01;

  /** Looks that a decision is made of: one may fall into a pause between two blocks. */
  private static final int LOOKS = 3;

  /** Two reports nearer to each other say nothing. */
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

    /** Bytes per second that it could do with. */
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
   * Takes in a session, which has its share after the next {@link #divide}.
   *
   * @param client whose it is; equal for the sessions of one client
   */
  public synchronized Member add(Object client) {
    Member member = new Member(client);
    members.add(member);
    return member;
  }

  /** A session has ended. Idempotent. */
  public synchronized void remove(Member member) {
    members.remove(member);
  }

  /**
   * Divides the rate anew.
   *
   * @param total bytes per second of all together; 0 for no limit
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
