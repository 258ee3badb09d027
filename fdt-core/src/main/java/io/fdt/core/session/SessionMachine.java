package io.fdt.core.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Ping;
import io.fdt.core.wire.control.Pong;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One end of a session, without its transfer: the numbered messages, and the deadlines within which
 * the other end must show that it is alive and the transfer must move. Takes an event and the time,
 * returns what is to be done, and calls nobody. Pure.
 *
 * <pre>
 *   EARLY (the other end has not agreed to it: a connection that is lost is the end)
 *      |
 *   ATTACHED &lt;--- Resumed --- DETACHED (control connection lost: all data streams are given up)
 *      |  '-------------------^  |
 *      |                         '-- nobody came back in time --> ENDED with a failure
 *      '-- Finished: both ends know that every entry has an outcome --> ENDED
 *      '-- Aborted, by either end --> ENDED with a failure
 * </pre>
 *
 * <p>Times are nanoseconds from any origin. Not thread-safe.
 */
public final class SessionMachine {
  private enum State {
    /** Connected, and the transfer has not begun. */
    NEW,
    EARLY,
    ATTACHED,
    DETACHED,
    ENDED
  }

  /** Several of these fit into the idle timeout, so that one that is late does no harm. */
  private static final int PINGS_PER_TIMEOUT = 4;

  /** A shorter silence is no news. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final SessionDeadlines deadlines;
  private final String name;
  private final ControlLog log = new ControlLog();
  private final EarlySending early = new EarlySending();
  private State state = State.NEW;
  private SessionEvent.Mark mark = SessionEvent.Mark.NONE;
  private long heardNanos;
  private long pingNanos;
  private long detachedNanos;
  private long movedNanos;
  private boolean stallTold;

  /**
   * @param name of the session, for people
   */
  public SessionMachine(String name, SessionDeadlines deadlines, long now) {
    this.name = name;
    this.deadlines = deadlines;
    this.heardNanos = now;
    this.movedNanos = now;
  }

  public boolean hasEnded() {
    return state == State.ENDED;
  }

  /** Whether it has lost its control connection, and waits for another one. */
  public boolean isDetached() {
    return state == State.DETACHED;
  }

  /** The number of the last message of the other end that has come. */
  public long received() {
    return log.received();
  }

  /** When something has moved last. */
  public long movedNanos() {
    return movedNanos;
  }

  /**
   * Takes an event.
   *
   * @return what is to be done, in order
   * @throws FdtException the other end breaks the rules; nothing is to be done but to abort. Of a
   *     {@link SessionEvent.Resumed}: the session has ended
   */
  public List<SessionAction> handle(SessionEvent event, long now) throws FdtException {
    if (event instanceof SessionEvent.Resumed resumed) {
      return resumed(resumed, now);
    }
    if (hasEnded()) {
      return List.of();
    }
    if (event instanceof SessionEvent.Said said) {
      return said(said.message());
    }
    if (event instanceof SessionEvent.Heard heard) {
      return heard(heard.message(), now);
    }
    if (event instanceof SessionEvent.Tick tick) {
      return tick(tick, now);
    }
    if (event instanceof SessionEvent.Started started) {
      state = started.early() ? State.EARLY : State.ATTACHED;
      heardNanos = now;
      movedNanos = now;
      return List.of();
    }
    if (event instanceof SessionEvent.Agreed) {
      return agreed();
    }
    if (event instanceof SessionEvent.Lost lost) {
      return lost(lost.cause(), lost.isComplete(), now);
    }
    if (event instanceof SessionEvent.Displaced displaced) {
      return isDetached() ? List.of() : detach(displaced.cause(), now);
    }
    if (event instanceof SessionEvent.Aborted aborted) {
      return abort(aborted.cause());
    }
    return end(null); // Finished
  }

  private List<SessionAction> said(Control.Builder message) {
    Control numbered = log.next(message);
    boolean goes = !isDetached() && (state != State.EARLY || early.mayGo(numbered));
    return goes ? List.of(new SessionAction.Send(numbered)) : List.of();
  }

  private List<SessionAction> agreed() {
    if (state != State.EARLY) {
      return List.of();
    }
    state = State.ATTACHED;
    return sends(early.held());
  }

  private static List<SessionAction> sends(List<Control> messages) {
    List<SessionAction> actions = new ArrayList<>();
    messages.forEach(message -> actions.add(new SessionAction.Send(message)));
    return actions;
  }

  private List<SessionAction> heard(Control message, long now) throws FdtException {
    heardNanos = now;
    if (!log.accept(message)) {
      return List.of();
    }
    return switch (message.getBodyCase()) {
      case PING ->
          List.of(
              new SessionAction.Send(
                  Control.newBuilder()
                      .setReceived(log.received())
                      .setPong(Pong.newBuilder().setNonce(message.getPing().getNonce()))
                      .build()));
      case PONG -> List.of();
      case ABORT -> end(AbortCoding.decode(message.getAbort()));
      default -> List.of(new SessionAction.Deliver(message));
    };
  }

  private List<SessionAction> lost(FdtException cause, boolean isComplete, long now) {
    return switch (state) {
      case DETACHED, ENDED -> List.of();
      case NEW, EARLY -> end(cause);
      case ATTACHED -> {
        if (isComplete) {
          yield end(null);
        }
        boolean isFinal =
            deadlines.retryTimeout().isZero()
                || cause.isOwnWant()
                || cause.code().retry() == ErrorCode.Retry.NO;
        yield isFinal ? end(cause) : detach(cause, now);
      }
    };
  }

  private List<SessionAction> detach(FdtException cause, long now) {
    state = State.DETACHED;
    detachedNanos = now;
    return List.of(new SessionAction.Detach(cause));
  }

  private List<SessionAction> resumed(SessionEvent.Resumed event, long now) throws FdtException {
    if (hasEnded()) {
      throw new FdtException(ErrorCode.UNREACHABLE, "session " + name + " has ended");
    }
    log.acknowledge(event.receivedByPeer());
    state = State.ATTACHED;
    heardNanos = now;
    List<SessionAction> actions = new ArrayList<>();
    if (event.answer() != null) {
      actions.add(new SessionAction.Send(event.answer()));
    }
    actions.addAll(sends(log.unacknowledged()));
    return actions;
  }

  private List<SessionAction> abort(FdtException cause) {
    List<SessionAction> actions = new ArrayList<>();
    if (!isDetached()) {
      actions.add(new SessionAction.TellPeer(cause));
    }
    actions.addAll(end(cause));
    return actions;
  }

  private List<SessionAction> end(FdtException failure) {
    state = State.ENDED;
    return List.of(new SessionAction.End(failure));
  }

  /** Watches the deadlines. */
  private List<SessionAction> tick(SessionEvent.Tick tick, long now) {
    boolean isOthersWill = state == State.EARLY; // that nothing moves
    if (isOthersWill || !tick.mark().isSameAs(mark)) {
      mark = tick.mark();
      movedNanos = now;
      stallTold = false;
    }
    List<SessionAction> actions = new ArrayList<>();
    if (isDetached()) {
      actions.addAll(watchReturn(tick, now));
    } else {
      if (!stallTold && now - movedNanos > STALL_NANOS) {
        stallTold = true;
        actions.add(new SessionAction.TellStalled());
      }
      actions.addAll(watchConnection(tick, now));
    }
    if (!hasEnded() && now - movedNanos > deadlines.stallTimeout().toNanos()) {
      actions.addAll(
          abort(
              new FdtException(
                  ErrorCode.TIMEOUT,
                  "no data moved for %d s; gave up"
                      .formatted(deadlines.stallTimeout().toSeconds()))));
    }
    return actions;
  }

  private List<SessionAction> watchReturn(SessionEvent.Tick tick, long now) {
    if (now - detachedNanos <= deadlines.retryTimeout().toNanos()) {
      return List.of();
    }
    return end(
        new FdtException(
            ErrorCode.UNREACHABLE,
            "the connection to %s was lost and did not come back within %d s"
                .formatted(tick.peer(), deadlines.retryTimeout().toSeconds())));
  }

  private List<SessionAction> watchConnection(SessionEvent.Tick tick, long now) {
    if (now - heardNanos > deadlines.idleTimeout().toNanos()) {
      FdtException silent =
          new FdtException(
              ErrorCode.TIMEOUT,
              "%s has been silent for %d s: it counts as gone"
                  .formatted(tick.peer(), deadlines.idleTimeout().toSeconds()));
      return lost(silent, tick.isComplete(), now);
    }
    if (now - pingNanos > deadlines.idleTimeout().toNanos() / PINGS_PER_TIMEOUT) {
      pingNanos = now;
      return List.of(
          new SessionAction.Send(
              Control.newBuilder()
                  .setReceived(log.received())
                  .setPing(Ping.newBuilder().setNonce(now))
                  .build()));
    }
    return List.of();
  }
}
