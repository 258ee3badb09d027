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
 * One end of a session, without its transfer: the numbered messages, and the deadlines for signs of
 * life of the peer and progress of the transfer. Takes an event and the time and returns actions;
 * calls no other object. Pure.
 *
 * <pre>
 *   EARLY (the peer has not accepted it yet: a lost connection ends it)
 *      |
 *   ATTACHED &lt;--- Resumed --- DETACHED (control connection lost: all data streams are closed)
 *      |  '-------------------^  |
 *      |                         '-- no client reconnected in time --> ENDED with a failure
 *      '-- Finished: both ends know that every entry has an outcome --> ENDED
 *      '-- Aborted, by either end --> ENDED with a failure
 * </pre>
 *
 * <p>Times are nanoseconds from any origin. Not thread-safe.
 */
public final class SessionMachine {
  /** Counts that show progress: at least one of them changes when a transfer moves. */
  public record Mark(
      long bytesDone,
      long bytesCarried,
      long bytesChecked,
      long filesTotal,
      long filesDone,
      long filesUnchanged,
      long filesDue) {
    /** No progress yet. */
    public static final Mark NONE = new Mark(0, 0, 0, 0, 0, 0, 0);

    /** Like {@link #equals}, whose first call on a record takes 13 ms in a new JVM. */
    boolean isSameAs(Mark other) {
      return bytesDone == other.bytesDone
          && bytesCarried == other.bytesCarried
          && bytesChecked == other.bytesChecked
          && filesTotal == other.filesTotal
          && filesDone == other.filesDone
          && filesUnchanged == other.filesUnchanged
          && filesDue == other.filesDue;
    }
  }

  private enum State {
    /** Connected, and the transfer has not begun. */
    NEW,
    EARLY,
    ATTACHED,
    DETACHED,
    ENDED
  }

  /** Pings per idle timeout: several, so that a late one is harmless. */
  private static final int PINGS_PER_TIMEOUT = 4;

  /** A shorter time without progress is not reported as a stall. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final SessionDeadlines deadlines;
  private final String name;
  private final ControlLog log = new ControlLog();
  private final EarlySending early = new EarlySending();
  private State state = State.NEW;
  private Mark mark = Mark.NONE;
  private long heardNanos;
  private long pingNanos;
  private long detachedNanos;
  private long movedNanos;
  private boolean stallTold;

  /**
   * @param name of the session, for messages
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

  /** Whether the session has lost its control connection and waits for another one. */
  public boolean isDetached() {
    return state == State.DETACHED;
  }

  /** The number of the last message received from the peer. */
  public long received() {
    return log.received();
  }

  /** The time of the last progress. */
  public long movedNanos() {
    return movedNanos;
  }

  /**
   * Starts the transfer.
   *
   * @param isEarly whether the peer has not accepted it yet
   */
  public void start(boolean isEarly, long now) {
    if (hasEnded()) {
      return;
    }
    state = isEarly ? State.EARLY : State.ATTACHED;
    heardNanos = now;
    movedNanos = now;
  }

  /** Sends a message. */
  public List<SessionAction> say(Control.Builder message) {
    if (hasEnded()) {
      return List.of();
    }
    Control numbered = log.next(message);
    boolean goes = !isDetached() && (state != State.EARLY || early.mayGo(numbered));
    return goes ? List.of(new SessionAction.Send(numbered)) : List.of();
  }

  /** Handles the acceptance of a transfer that began early. */
  public List<SessionAction> agree() {
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

  /**
   * Handles a message of the control connection.
   *
   * @throws FdtException the peer violates the protocol; the session must be aborted
   */
  public List<SessionAction> receive(Control message, long now) throws FdtException {
    heardNanos = now;
    if (hasEnded() || !log.accept(message)) {
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

  /**
   * Handles the loss of the control connection.
   *
   * @param isComplete whether every entry of the transfer has an outcome
   */
  public List<SessionAction> lose(FdtException cause, boolean isComplete, long now) {
    return switch (state) {
      case DETACHED, ENDED -> List.of();
      case NEW, EARLY -> end(cause);
      case ATTACHED -> {
        if (isComplete) {
          yield end(null);
        }
        boolean isFinal =
            deadlines.retryTimeout().isZero()
                || cause.isLocalResourceFailure()
                || cause.code().retry() == ErrorCode.Retry.NO;
        yield isFinal ? end(cause) : detach(cause, now);
      }
    };
  }

  /** Replaces an open control connection by another one. */
  public List<SessionAction> displace(FdtException cause, long now) {
    return isDetached() || hasEnded() ? List.of() : detach(cause, now);
  }

  private List<SessionAction> detach(FdtException cause, long now) {
    state = State.DETACHED;
    detachedNanos = now;
    return List.of(new SessionAction.Detach(cause));
  }

  /**
   * Resumes the session on a new control connection.
   *
   * @param answer the first message on it; null for none
   * @param receivedByPeer the number of the last message received by the peer
   * @throws FdtException the session has ended, or the peer violates the protocol
   */
  public List<SessionAction> resume(Control answer, long receivedByPeer, long now)
      throws FdtException {
    if (hasEnded()) {
      throw new FdtException(ErrorCode.UNREACHABLE, "session " + name + " has ended");
    }
    log.acknowledge(receivedByPeer);
    state = State.ATTACHED;
    heardNanos = now;
    List<SessionAction> actions = new ArrayList<>();
    if (answer != null) {
      actions.add(new SessionAction.Send(answer));
    }
    actions.addAll(sends(log.unacknowledged()));
    return actions;
  }

  /** Aborts the session from this end. */
  public List<SessionAction> abort(FdtException cause) {
    List<SessionAction> actions = new ArrayList<>();
    if (!isDetached() && !hasEnded()) {
      actions.add(new SessionAction.SendAbort(cause));
    }
    actions.addAll(end(cause));
    return actions;
  }

  /** Ends the session after a complete transfer. */
  public List<SessionAction> finish() {
    return end(null);
  }

  private List<SessionAction> end(FdtException failure) {
    if (hasEnded()) {
      return List.of();
    }
    state = State.ENDED;
    return List.of(new SessionAction.End(failure));
  }

  /**
   * Checks the deadlines. Called several times a second.
   *
   * @param seen the progress of the transfer
   * @param isComplete as in {@link #lose}
   * @param peer the peer, for messages
   */
  public List<SessionAction> tick(Mark seen, boolean isComplete, String peer, long now) {
    if (hasEnded()) {
      return List.of();
    }
    boolean idleIsExpected = state == State.EARLY;
    if (idleIsExpected || !seen.isSameAs(mark)) {
      mark = seen;
      movedNanos = now;
      stallTold = false;
    }
    List<SessionAction> actions = new ArrayList<>();
    if (isDetached()) {
      actions.addAll(watchReturn(peer, now));
    } else {
      if (!stallTold && now - movedNanos > STALL_NANOS) {
        stallTold = true;
        actions.add(new SessionAction.ReportStall());
      }
      actions.addAll(watchConnection(isComplete, peer, now));
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

  private List<SessionAction> watchReturn(String peer, long now) {
    if (now - detachedNanos <= deadlines.retryTimeout().toNanos()) {
      return List.of();
    }
    return end(
        new FdtException(
            ErrorCode.UNREACHABLE,
            "the connection to %s was lost and did not come back within %d s"
                .formatted(peer, deadlines.retryTimeout().toSeconds())));
  }

  private List<SessionAction> watchConnection(boolean isComplete, String peer, long now) {
    if (now - heardNanos > deadlines.idleTimeout().toNanos()) {
      FdtException silent =
          new FdtException(
              ErrorCode.TIMEOUT,
              "%s has been silent for %d s: connection lost"
                  .formatted(peer, deadlines.idleTimeout().toSeconds()));
      return lose(silent, isComplete, now);
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
