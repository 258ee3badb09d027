package io.fdt.server.thirdparty;

import io.fdt.core.wire.control.RunEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Events of a session for clients that follow it later: the first problems and deletions, and the
 * last events of any kind. Bounded.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
public final class RunLog {
  static final int MOST_PROBLEMS = 1000;
  static final int MOST_PROBLEM_BYTES = 256 << 10;

  /** The most bytes of recent events: about a thousand files, for a client that reconnects. */
  static final int MOST_RECENT_BYTES = 128 << 10;

  private record Numbered(long number, RunEvent event) {}

  /**
   * Events that a client has not received.
   *
   * @param missed number of events no longer kept
   */
  public record Backlog(List<RunEvent> events, long missed) {}

  private final List<Numbered> problems = new ArrayList<>();
  private final Deque<Numbered> recent = new ArrayDeque<>();
  private int problemBytes;
  private int recentBytes;
  private long count;

  public void add(RunEvent told) {
    RunEvent event = kept(told);
    int bytes = event.getSerializedSize();
    Numbered numbered = new Numbered(count++, event);
    if ((event.hasProblem() || event.hasDeleted())
        && problems.size() < MOST_PROBLEMS
        && problemBytes + bytes <= MOST_PROBLEM_BYTES) {
      problems.add(numbered);
      problemBytes += bytes;
    }
    recent.add(numbered);
    recentBytes += bytes;
    while (recentBytes > MOST_RECENT_BYTES) {
      recentBytes -= recent.remove().event().getSerializedSize();
    }
  }

  /**
   * The event without details for a monitor, which are stale after a second and would displace
   * other events.
   */
  private static RunEvent kept(RunEvent told) {
    return told.getObserved().hasDetails()
        ? told.toBuilder().setObserved(told.getObserved().toBuilder().clearDetails()).build()
        : told;
  }

  /** The number of events so far. */
  public long count() {
    return count;
  }

  /** The problems and deletions, for a client that has not followed before. */
  public List<RunEvent> problems() {
    return problems.stream().map(Numbered::event).toList();
  }

  /** Events after the first {@code heard}. */
  public Backlog after(long heard) {
    long firstKept = recent.isEmpty() ? count : recent.peek().number();
    List<RunEvent> events = new ArrayList<>();
    for (Numbered problem : problems) {
      if (problem.number() >= heard && problem.number() < firstKept) {
        events.add(problem.event());
      }
    }
    long missed = Math.max(0, firstKept - heard) - events.size();
    for (Numbered event : recent) {
      if (event.number() >= heard) {
        events.add(event.event());
      }
    }
    return new Backlog(events, missed);
  }
}
