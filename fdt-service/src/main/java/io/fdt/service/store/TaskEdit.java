package io.fdt.service.store;

import io.fdt.core.error.ErrorCode;
import io.fdt.service.task.Counts;
import io.fdt.service.task.FaultPause;
import io.fdt.service.task.Intent;
import io.fdt.service.task.Outcome;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskEvent;
import io.fdt.service.task.TaskState;
import java.sql.SQLException;

/**
 * The changes of one task in one transaction: its row and its events together. Confined to one
 * thread.
 */
final class TaskEdit {
  private static final int MOST_DETAIL = 2000;

  /** Limits the events of a task that is retried for days. */
  private static final long MOST_EVENTS = 10_000;

  private final Sql sql;
  private final long now;
  private final Task task;
  private Task.Wish wish;
  private Task.Run run;
  private Counts counts;
  private long events;

  TaskEdit(Sql sql, Task task, long now) {
    this.sql = sql;
    this.task = task;
    this.wish = task.wish();
    this.run = task.run();
    this.counts = task.counts();
    this.events = task.events();
    this.now = now;
  }

  Task task() {
    return task;
  }

  TaskState state() {
    return run.state();
  }

  Intent intent() {
    return run.intent();
  }

  boolean hasSession() {
    return !run.session().isEmpty();
  }

  /** Moves along an edge of the chart of {@link TaskState}. */
  void moveTo(TaskState next, String message) {
    if (!run.state().mayMoveTo(next)) {
      throw new IllegalStateException(run.state() + " to " + next);
    }
    run =
        new Task.Run(
            next,
            next == TaskState.ACTIVE ? run.intent() : Intent.RUN,
            0,
            run.attempts(),
            run.faults(),
            next.hasEnded() ? "" : run.session(),
            next.hasEnded() ? "" : run.sessionAt(),
            message,
            next == TaskState.ACTIVE ? run.lease() : run.lease().released());
  }

  void intend(Intent intent) {
    run = run.with(intent);
  }

  /**
   * Leases the task to a process, possibly taking it over from another one, whose later writes are
   * refused.
   */
  void lease(String owner, long until) {
    run = run.with(new Task.Lease(owner, until, run.lease().epoch() + 1));
  }

  void countAttempt() {
    run =
        new Task.Run(
            run.state(),
            run.intent(),
            0,
            run.attempts() + 1,
            run.faults(),
            run.session(),
            run.sessionAt(),
            run.message(),
            run.lease());
  }

  void session(String session, String at) {
    run = run.withSession(session, at);
  }

  void wish(Task.Wish wish) {
    this.wish = wish;
  }

  void counts(Counts counts) {
    this.counts = counts;
  }

  /** After a fault: waits, or gives up if the deadline is earlier. */
  void fault(Outcome outcome) throws SQLException {
    String message = outcome.message();
    boolean keepsSession = outcome.sessionMayRun();
    int faults = run.faults() + 1;
    long notBefore = now + FaultPause.millis(task.id(), faults);
    if (notBefore >= wish.deadline()) {
      missDeadline(
          "the deadline comes before the next attempt; last fault: " + message, outcome.cause());
      return;
    }
    event(TaskEvent.Code.FAULT, true, message, "fault:" + faults, outcome.cause());
    if (faults == 1) {
      notify(Notice.FAULT, message);
    }
    run =
        new Task.Run(
            TaskState.RETRYING,
            run.intent(),
            notBefore,
            run.attempts(),
            faults,
            keepsSession ? run.session() : "",
            keepsSession ? run.sessionAt() : "",
            message,
            run.lease().released());
  }

  /** Fails the task because of its deadline. */
  void missDeadline(String reason, ErrorCode cause) throws SQLException {
    String message = reason + "; submit the task again to continue";
    notify(Notice.DEADLINE, message);
    end(TaskState.FAILED, message, cause);
  }

  /** Ends the task, with the event of its end and a notice. */
  void end(TaskState state, String message, ErrorCode cause) throws SQLException {
    notify(Notice.END, message);
    moveTo(state, message);
    event(TaskEvent.Code.valueOf(state.name()), state == TaskState.FAILED, message, "end", cause);
  }

  private void notify(Notice notice, String message) throws SQLException {
    Outbox.add(sql, task.owner(), task.id(), notice, message, now);
  }

  void ended(Outcome outcome) throws SQLException {
    counts(outcome.counts());
    if (!outcome.sessionMayRun()) {
      session("", "");
    }
    if (outcome.end() == Outcome.End.SUCCEEDED) {
      end(TaskState.SUCCEEDED, outcome.message(), null);
    } else if (run.intent() == Intent.CANCEL) {
      end(
          TaskState.CANCELLED,
          outcome.sessionMayRun()
              ? "cancelled by its user; the servers did not answer and may go on: "
                  + outcome.message()
              : "cancelled by its user",
          null);
    } else if (outcome.end() == Outcome.End.LATE) {
      missDeadline(outcome.message(), outcome.cause());
    } else if (outcome.end() == Outcome.End.FAILED) {
      end(TaskState.FAILED, outcome.message(), outcome.cause());
    } else if (run.intent() == Intent.PAUSE) {
      moveTo(TaskState.PAUSED, "paused by its user");
      event(TaskEvent.Code.PAUSED, false, run.message());
    } else if (outcome.end() == Outcome.End.STOPPED) {
      moveTo(TaskState.QUEUED, "");
    } else {
      run = run.with(Intent.RUN);
      fault(outcome);
    }
  }

  void event(TaskEvent.Code code, boolean isError, String detail) throws SQLException {
    event(code, isError, detail, "number:" + (events + 1), null);
  }

  /**
   * Adds an event, unless one with this key exists.
   *
   * @param once the key; unique within the task
   * @param cause the error behind it; null for none
   */
  void event(TaskEvent.Code code, boolean isError, String detail, String once, ErrorCode cause)
      throws SQLException {
    if (events >= MOST_EVENTS && !code.isOfItsLife()) {
      return;
    }
    String text = detail.length() > MOST_DETAIL ? detail.substring(0, MOST_DETAIL) : detail;
    int added =
        sql.update(
            "INSERT INTO event (task, number, at, code, is_error, detail, once, cause)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (task, once) DO NOTHING",
            task.id(),
            events + 1,
            now,
            code.name(),
            isError ? 1 : 0,
            text,
            once,
            cause == null ? "" : cause.name());
    events += added;
  }

  /** Writes the row, with the next version. */
  Task save() throws SQLException {
    long started = task.started() == 0 && run.state() == TaskState.ACTIVE ? now : task.started();
    Task saved =
        new Task(
            task.id(),
            task.owner(),
            task.submissionId(),
            task.work(),
            wish,
            run,
            counts,
            task.created(),
            started,
            run.state().hasEnded() && task.ended() == 0 ? now : task.ended(),
            events,
            task.version() + 1);
    TaskRow.update(sql, saved);
    return saved;
  }
}
