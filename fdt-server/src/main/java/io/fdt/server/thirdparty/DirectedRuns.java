package io.fdt.server.thirdparty;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.server.limits.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The sessions that this server runs with other servers, and recently ended ones, for clients that
 * reconnect. A client finds its own sessions only, and sessions of one owner do not displace those
 * of others. Thread-safe.
 */
public final class DirectedRuns {
  /** How long an ended session is kept. */
  public static final Duration KEPT_FOR = Duration.ofHours(24);

  /** The most ended sessions of all owners; one owner can have half of them. */
  static final int MOST_ENDED = 1000;

  /** The most bytes of ended sessions; one owner gets at most half. */
  static final long MOST_ENDED_BYTES = 16L << 20;

  /** The most clients that follow one session; each gets all events. */
  public static final int MOST_FOLLOWERS = 16;

  /** The fewest digits of an id: a collision has a chance of one in four billion. */
  static final int LEAST_DIGITS = 8;

  private static final int ALL_DIGITS = 2 * SessionId.LENGTH;

  /** A session that runs, or has ended. */
  sealed interface Run permits Live, Ended {
    SessionId id();

    Owner owner();
  }

  /** A client that gets the events of a session. */
  public interface Follower {
    void send(Control message);

    /** No more messages follow. */
    void close();
  }

  /** A session that runs, or will run. */
  public non-sealed interface Live extends Run {
    /** Describes the session and its progress. Any thread. */
    public RunDescription describe();

    /**
     * Adds a client.
     *
     * @param heardPlusOne number of events it has received, plus one; 0 for a new client
     */
    void attach(Follower follower, long heardPlusOne);

    /** Removes a client. */
    void left(Follower follower);

    /** Detaches the session, which continues without a client. */
    void detach();

    /**
     * Sets the client's rate limit.
     *
     * @throws FdtException PROTOCOL for an invalid rate
     */
    void limit(long bytesPerSecond) throws FdtException;

    /** Ends the session. */
    void abort(FdtException cause);
  }

  /**
   * An ended session.
   *
   * @param atNanos time of its end
   * @param last its final description
   * @param problems the first ones
   */
  public record Ended(
      SessionId id, Owner owner, long atNanos, RunDescription last, List<RunEvent> problems)
      implements Run {
    public Ended {
      problems = List.copyOf(problems);
    }

    long bytes() {
      return last.getSerializedSize()
          + problems.stream().mapToLong(RunEvent::getSerializedSize).sum();
    }

    /** Describes the session, with the time since its end. */
    public RunDescription describe(long nowNanos) {
      return last.toBuilder()
          .setEndedMillis(Duration.ofNanos(nowNanos - atNanos).toMillis())
          .build();
    }
  }

  private record Key(Owner owner, SessionId id) {
    static Key of(Run run) {
      return new Key(run.owner(), run.id());
    }

    // Not generated: see DiskId.
    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.owner.equals(owner) && key.id.equals(id);
    }

    @Override
    public int hashCode() {
      return id.hashCode();
    }
  }

  /** Ended sessions of one owner. */
  private static final class Share {
    int runs;
    long bytes;

    boolean isOver(int mostRuns, long mostBytes) {
      return runs > mostRuns || bytes > mostBytes;
    }
  }

  private final LongSupplier clock;
  private final Map<Key, Live> live = new HashMap<>();

  /** The oldest first. */
  private final LinkedHashMap<Key, Ended> ended = new LinkedHashMap<>();

  /**
   * @param clock in nanoseconds, from an arbitrary origin
   */
  public DirectedRuns(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * Adds a session that begins.
   *
   * @throws FdtException IN_USE when its owner runs one with that id
   */
  public synchronized void began(Live run) throws FdtException {
    Key key = Key.of(run);
    if (live.putIfAbsent(key, run) != null) {
      throw new FdtException(ErrorCode.IN_USE, "there is a session with that id");
    }
    ended.remove(key);
  }

  /**
   * Moves a session to the ended ones.
   *
   * @param last its final description
   */
  public synchronized Ended ended(Live run, RunDescription last, List<RunEvent> problems) {
    Ended record = new Ended(run.id(), run.owner(), clock.getAsLong(), last, problems);
    Key key = Key.of(run);
    live.remove(key, run);
    ended.put(key, record);
    forget();
    return record;
  }

  /**
   * Restores a session that ended before a restart of this server.
   *
   * @param age since its end
   */
  public synchronized void restored(
      SessionId id, Owner owner, Duration age, RunDescription last, List<RunEvent> problems) {
    Ended record = new Ended(id, owner, clock.getAsLong() - age.toNanos(), last, problems);
    ended.put(Key.of(record), record);
    forget();
  }

  /** The record of an ended session, if still kept. */
  public synchronized Optional<Ended> ended(SessionId id, Owner owner) {
    return Optional.ofNullable(ended.get(new Key(owner, id)));
  }

  /** Removes a session that never began. */
  synchronized void dropped(Live run) {
    live.remove(Key.of(run), run);
  }

  /**
   * Finds a session by its id.
   *
   * @param digits the first digits of its id
   * @throws FdtException NOT_FOUND when the client may see none; USAGE when there are several
   */
  public synchronized Run find(String digits, Owner client) throws FdtException {
    String start = digits.toLowerCase(Locale.ROOT);
    if (!start.matches("[0-9a-f]{" + LEAST_DIGITS + "," + ALL_DIGITS + "}")) {
      throw new FdtException(
          ErrorCode.USAGE,
          "an id has %d to %d hexadecimal digits".formatted(LEAST_DIGITS, ALL_DIGITS));
    }
    forget();
    List<Run> found = new ArrayList<>();
    for (Run run : all()) {
      boolean isMeant = run.id().toString().startsWith(start);
      if (isMeant && client.maySee(run.owner())) {
        found.add(run);
      }
    }
    boolean isGuess = client.isStranger() && start.length() < ALL_DIGITS;
    if (found.isEmpty() || isGuess) {
      throw new FdtException(
          ErrorCode.NOT_FOUND,
          "the server has no session %s of yours: it ended more than a day ago, or the server was restarted. The same copy continues what is not done"
              .formatted(start));
    }
    if (found.size() > 1) {
      throw new FdtException(
          ErrorCode.USAGE,
          "%d sessions begin with %s: type more of it".formatted(found.size(), start));
    }
    return found.get(0);
  }

  /** The sessions that a client may see: running ones first, then by age, the youngest first. */
  synchronized List<RunDescription> list(Owner client) {
    if (client.isStranger()) {
      return List.of();
    }
    forget();
    long now = clock.getAsLong();
    List<RunDescription> list = new ArrayList<>();
    for (Live run : live.values()) {
      if (client.maySee(run.owner())) {
        list.add(run.describe());
      }
    }
    list.sort(Comparator.comparingLong(RunDescription::getElapsedMillis));
    int running = list.size();
    for (Ended run : ended.values()) {
      if (client.maySee(run.owner())) {
        list.add(running, run.describe(now));
      }
    }
    return list;
  }

  /** The current time of the clock of ended sessions. */
  public long nowNanos() {
    return clock.getAsLong();
  }

  private List<Run> all() {
    List<Run> all = new ArrayList<>(live.values());
    all.addAll(ended.values());
    return all;
  }

  private void forget() {
    long now = clock.getAsLong();
    ended.values().removeIf(run -> now - run.atNanos() > KEPT_FOR.toNanos());
    Map<Owner, Share> shares = new HashMap<>();
    Share whole = new Share();
    for (Ended run : ended.values()) {
      add(run, shares.computeIfAbsent(run.owner(), owner -> new Share()), 1);
      add(run, whole, 1);
    }
    for (Map.Entry<Owner, Share> share : shares.entrySet()) {
      while (share.getValue().isOver(MOST_ENDED / 2, MOST_ENDED_BYTES / 2)) {
        forgetOldest(share.getKey(), share.getValue(), whole);
      }
    }
    while (whole.isOver(MOST_ENDED, MOST_ENDED_BYTES)) {
      boolean tooMany = whole.runs > MOST_ENDED;
      Comparator<Map.Entry<Owner, Share>> most =
          Comparator.comparingLong(
              share -> tooMany ? share.getValue().runs : share.getValue().bytes);
      Map.Entry<Owner, Share> greediest = shares.entrySet().stream().max(most).orElseThrow();
      forgetOldest(greediest.getKey(), greediest.getValue(), whole);
    }
  }

  private static void add(Ended run, Share share, int sign) {
    share.runs += sign;
    share.bytes += sign * run.bytes();
  }

  private void forgetOldest(Owner owner, Share share, Share whole) {
    Ended oldest =
        ended.values().stream().filter(run -> run.owner().equals(owner)).findFirst().orElseThrow();
    ended.remove(Key.of(oldest));
    add(oldest, share, -1);
    add(oldest, whole, -1);
  }
}
