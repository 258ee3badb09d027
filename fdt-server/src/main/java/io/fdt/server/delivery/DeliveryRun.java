package io.fdt.server.delivery;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Delivery;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.RunEvents;
import io.fdt.core.wire.control.RunProgress;
import io.fdt.core.wire.control.RunState;
import io.fdt.server.limits.Owner;
import io.fdt.server.thirdparty.DirectedRun;
import io.fdt.server.thirdparty.DirectedRuns;
import io.fdt.server.thirdparty.RunLog;
import io.fdt.server.thirdparty.RunMessages;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A delivery for the clients that follow it, across all attempts and the pauses between them. It
 * follows the session of an attempt like a client, and forwards its events.
 *
 * <pre>
 *   WAITING -- begins --> IN AN ATTEMPT -- it failed for now --> WAITING
 *      '-- cancelled --> ENDED  '-- delivered, refused or cancelled --> ENDED
 * </pre>
 *
 * <p>Thread-safe.
 */
final class DeliveryRun implements DirectedRuns.Live, DirectedRuns.Follower {
  private final Delivery delivery;
  private final DirectedRuns runs;
  private final RunDescription request;
  private final Runnable cancelledInPause;
  private final long startNanos;

  // Guarded by this.
  private final List<DirectedRuns.Follower> followers = new ArrayList<>();
  private final RunLog log = new RunLog();
  private RunProgress progress = RunProgress.getDefaultInstance();

  /** The current attempt; null in a pause. */
  private DirectedRun attempt;

  private int failedAttempts;
  private Optional<FdtException> lastFailure = Optional.empty();
  private Optional<FdtException> cancellation = Optional.empty();
  private Optional<Long> rate = Optional.empty();
  private Optional<DirectedRuns.Ended> record = Optional.empty();

  /**
   * @param runs the list in which clients find it
   * @param request its description
   * @param cancelledInPause called on a cancellation between attempts
   */
  DeliveryRun(
      Delivery delivery, DirectedRuns runs, RunDescription request, Runnable cancelledInPause) {
    this.delivery = delivery;
    this.runs = runs;
    this.startNanos = runs.nowNanos();
    this.request = request;
    this.cancelledInPause = cancelledInPause;
  }

  @Override
  public SessionId id() {
    return StoredDelivery.session(delivery);
  }

  @Override
  public Owner owner() {
    return StoredDelivery.owner(delivery);
  }

  @Override
  public synchronized RunDescription describe() {
    RunDescription.Builder what =
        attempt != null
            ? attempt.describe().toBuilder()
            : request.toBuilder().setState(RunState.RUN_WAITING).setProgress(progress);
    if (attempt == null) {
      lastFailure.ifPresent(
          why -> what.setCode(why.code().wireCode()).setMessage(MessageText.fit(why.getMessage())));
    }
    return what.setOwner(owner().name())
        .setDetached(true)
        .setClients(followers.size())
        .setElapsedMillis(TimeUnit.NANOSECONDS.toMillis(runs.nowNanos() - startNanos))
        .build();
  }

  @Override
  public synchronized void attach(DirectedRuns.Follower follower, long heardPlusOne) {
    if (record.isEmpty() && followers.size() >= DirectedRuns.MOST_FOLLOWERS) {
      RunMessages.refuse(follower);
      return;
    }
    RunLog.Backlog backlog =
        heardPlusOne == 0
            ? new RunLog.Backlog(log.problems(), 0)
            : log.after(Math.min(heardPlusOne - 1, log.count()));
    RunDescription what =
        record.map(ended -> ended.describe(runs.nowNanos())).orElseGet(this::describe);
    follower.send(
        RunMessages.attached(
            what.toBuilder()
                .setCommand(RunMessages.command(delivery.getHandOver().getRun()))
                .build(),
            backlog.missed()));
    RunMessages.sendEvents(follower, backlog.events(), log.count());
    if (record.isPresent()) {
      follower.send(RunMessages.ended(record.get()));
      follower.close();
      return;
    }
    followers.add(follower);
    if (attempt == null) {
      lastFailure.ifPresent(why -> follower.send(waiting(why)));
    }
  }

  @Override
  public synchronized void left(DirectedRuns.Follower follower) {
    followers.remove(follower);
  }

  /** {@inheritDoc} A delivery is always detached. */
  @Override
  public void detach() {}

  @Override
  public synchronized void limit(long bytesPerSecond) throws FdtException {
    if (bytesPerSecond < 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad rate: " + bytesPerSecond);
    }
    rate = Optional.of(bytesPerSecond);
    if (attempt != null) {
      attempt.limit(bytesPerSecond);
    }
  }

  @Override
  public void abort(FdtException cause) {
    DirectedRun current;
    synchronized (this) {
      cancellation = Optional.of(cause);
      current = attempt;
    }
    if (current != null) {
      current.abort(cause);
    } else {
      cancelledInPause.run();
    }
  }

  /** Begins an attempt. */
  void begins(DirectedRun session) throws FdtException {
    Optional<FdtException> unwanted;
    synchronized (this) {
      attempt = session;
      if (rate.isPresent()) {
        session.limit(rate.get());
      }
      unwanted = cancellation;
    }
    unwanted.ifPresent(session::abort);
  }

  /**
   * {@inheritDoc} Forwards messages of the attempt's session, except its end, which is not the end
   * of the delivery.
   */
  @Override
  public synchronized void send(Control message) {
    if (message.hasRunEvents()) {
      RunEvents events = message.getRunEvents();
      progress = events.getProgress();
      tell(events.getEventsList());
    }
  }

  @Override
  public void close() {}

  private void tell(List<RunEvent> events) {
    events.forEach(log::add);
    Control message =
        Control.newBuilder()
            .setRunEvents(
                RunEvents.newBuilder()
                    .addAllEvents(events)
                    .setProgress(progress)
                    .setEventCount(log.count()))
            .build();
    followers.forEach(follower -> follower.send(message));
  }

  /** The last failure, for a client that attaches between attempts. */
  private Control waiting(FdtException why) {
    return Control.newBuilder()
        .setRunEvents(
            RunEvents.newBuilder()
                .addEvents(notice(why.getMessage() + ": trying again"))
                .setProgress(progress)
                .setEventCount(log.count()))
        .build();
  }

  private static RunEvent notice(String text) {
    return RunEvent.newBuilder().setNotice(MessageText.fit(text)).build();
  }

  /** Sends a keepalive to clients. */
  synchronized void sign() {
    if (attempt == null && !followers.isEmpty()) {
      tell(List.of());
    }
  }

  /**
   * Records a failed attempt, which another one will follow. Clients get one notice while the error
   * code stays the same.
   *
   * @return the number of failed attempts
   */
  synchronized int waits(FdtException why) {
    attempt = null;
    boolean isNews = lastFailure.filter(last -> last.code() == why.code()).isEmpty();
    lastFailure = Optional.of(why);
    failedAttempts++;
    if (isNews) {
      tell(List.of(notice(why.getMessage() + ": trying again")));
    }
    return failedAttempts;
  }

  /** The cancellation; empty if there is none. */
  synchronized Optional<FdtException> cancellation() {
    return cancellation;
  }

  /**
   * Ends the delivery, with success or permanent failure.
   *
   * @param result sent to clients
   * @param problems the first ones
   */
  void ends(RunDescription result, List<RunEvent> problems) {
    DirectedRuns.Ended ended = runs.ended(this, result, problems); // not with this one's lock
    synchronized (this) {
      attempt = null;
      record = Optional.of(ended);
      Control end = RunMessages.ended(ended);
      for (DirectedRuns.Follower follower : followers) {
        follower.send(end);
        follower.close();
      }
      followers.clear();
    }
  }
}
