package io.fdt.service.store;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.unit.BitRate;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Intent;
import io.fdt.service.task.Outcome;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskEvent;
import io.fdt.service.task.TaskKind;
import io.fdt.service.task.TaskState;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The tasks and their events in the database. Each change of a task and its events is one
 * transaction: after a crash both are there, or neither. Any thread.
 */
public final class TaskStore {
  private static final String SELECT = "SELECT " + TaskRow.COLUMNS + " FROM task ";

  /** The most unfinished tasks of one user. */
  private static final int MOST_UNFINISHED = 100_000;

  /** The most paths in the message about a task that has ended. */
  private static final int MOST_NAMED = 3;

  private final Database database;

  public TaskStore(Database database) {
    this.database = database;
  }

  /** Changes a task that is read in the same transaction. */
  @FunctionalInterface
  private interface Change {
    void apply(TaskEdit edit) throws SQLException, ServiceException;
  }

  /**
   * The result of a submission.
   *
   * @param isNew false for a repeated submission
   */
  public record Submitted(Task task, boolean isNew) {}

  /**
   * Stores a task, once for each submission id of its owner.
   *
   * @param request the text of the request; a repeated submission must have the same
   * @throws ServiceException CONFLICT when the id was used for something else
   */
  public Submitted submit(Task task, String request) throws ServiceException {
    return database.<Submitted, ServiceException>transaction(
        sql -> {
          Optional<Task> before =
              sql.first(
                  TaskRow::read,
                  SELECT + "WHERE owner = ? AND submission_id = ?",
                  task.owner(),
                  task.submissionId());
          if (before.isPresent()) {
            String same =
                sql.first(
                        row -> row.text(),
                        "SELECT request FROM task WHERE id = ?",
                        before.get().id())
                    .orElse("");
            if (!same.equals(request)) {
              throw Fault.CONFLICT.of(
                  "submission id %s was used for another request, task %s; use a new one"
                      .formatted(task.submissionId(), before.get().id()));
            }
            return new Submitted(before.get(), false);
          }
          checkRoom(sql, task.owner());
          TaskRow.insert(sql, task, request);
          TaskEdit edit = new TaskEdit(sql, task, task.created());
          edit.event(TaskEvent.Code.SUBMITTED, false, "");
          return new Submitted(edit.save(), true);
        });
  }

  private static void checkRoom(Sql sql, String owner) throws SQLException, ServiceException {
    long unfinished =
        sql.first(
                row -> row.number(),
                "SELECT COUNT(*) FROM task WHERE owner = ?"
                    + " AND state IN ('QUEUED', 'ACTIVE', 'RETRYING', 'PAUSED')",
                owner)
            .orElse(0L);
    if (unfinished >= MOST_UNFINISHED) {
      throw Fault.TOO_MANY.of(
          "you have %d tasks that have not ended; wait for some, or cancel them"
              .formatted(unfinished));
    }
  }

  public Task get(String owner, String id) throws ServiceException {
    return database
        .first(TaskRow::read, SELECT + "WHERE id = ? AND owner = ?", id, owner)
        .orElseThrow(() -> notFound(id));
  }

  private static ServiceException notFound(String id) {
    return Fault.NOT_FOUND.of("there is no task '" + id + "'; see: fdt task list");
  }

  /** Removes the oldest tasks that ended before a time, with their events and notices. */
  public int removeEnded(long before, int most) {
    return database.transaction(
        sql -> {
          List<String> old =
              sql.list(
                  row -> row.text(),
                  "SELECT id FROM task WHERE ended > 0 AND ended < ? ORDER BY ended, id LIMIT ?",
                  before,
                  most);
          for (String id : old) {
            sql.update("DELETE FROM event WHERE task = ?", id);
            sql.update("DELETE FROM outbox WHERE task = ?", id);
            sql.update("DELETE FROM task WHERE id = ?", id);
          }
          return old.size();
        });
  }

  public TaskLists lists() {
    return new TaskLists(database);
  }

  /** Events of a task after a number, the oldest first. */
  public List<TaskEvent> events(String id, long after, int most) {
    return events("number > ?", id, after, most);
  }

  /** The first problems of files of a task. */
  public List<TaskEvent> problems(String id, int most) {
    return events("code = ?", id, TaskEvent.Code.PROBLEM.name(), most);
  }

  private List<TaskEvent> events(String condition, String id, Object value, int most) {
    return database.list(
        row ->
            new TaskEvent(
                row.number(),
                row.number(),
                TaskEvent.Code.valueOf(row.text()),
                row.number() != 0,
                row.text(),
                row.text()),
        "SELECT number, at, code, is_error, detail, cause FROM event"
            + " WHERE task = ? AND %s ORDER BY number LIMIT ?".formatted(condition),
        id,
        value,
        most);
  }

  /** Records the session that does the work, before waiting for it, with the counts before it. */
  public Task session(Task claimed, String session, String at, Counts counts, long now) {
    return work(
        claimed,
        now,
        edit -> {
          edit.session(session, at);
          edit.counts(counts);
        });
  }

  /**
   * Records that an attempt's transfer was found again. One event for each process that takes over
   * the attempt, but not for a process that loses its lease and gets it back.
   */
  public Task foundAgain(Task claimed, String session, String detail, long now) {
    Task.Run run = claimed.run();
    String once = "found:" + session + ":" + run.attempts() + ":" + run.lease().owner();
    return event(claimed, TaskEvent.Code.FOUND_AGAIN, false, detail, once, now);
  }

  /** Adds an event, unless one with this key exists. */
  public Task event(
      Task claimed, TaskEvent.Code code, boolean isError, String detail, String once, long now) {
    return event(claimed, code, isError, detail, once, null, now);
  }

  /**
   * Adds an event with the error behind it, unless one with this key exists.
   *
   * @param cause null for none
   */
  public Task event(
      Task claimed,
      TaskEvent.Code code,
      boolean isError,
      String detail,
      String once,
      ErrorCode cause,
      long now) {
    return work(claimed, now, edit -> edit.event(code, isError, detail, once, cause));
  }

  /** Records the progress, without a new version. */
  public void progress(Task claimed, Counts counts) {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "UPDATE task SET bytes_done = ?, files_moved = ?, files_deleted = ?,"
                    + " bytes_total = ?, files_done = ?, files_failed = ?, files_total = ?,"
                    + " changed = "
                    + sql.now()
                    + " WHERE id = ? AND state = 'ACTIVE' AND epoch = ?",
                counts.bytesDone(),
                counts.moved().files(),
                counts.filesDeleted(),
                counts.bytesTotal(),
                counts.filesDone(),
                counts.filesFailed(),
                counts.filesTotal(),
                claimed.id(),
                claimed.run().lease().epoch()));
  }

  /** Ends an attempt; does nothing if that was recorded before. */
  public Task finish(Task claimed, Outcome outcome, long now) {
    return work(
        claimed,
        now,
        edit -> {
          if (edit.state() == TaskState.ACTIVE) {
            edit.ended(outcome);
          }
        });
  }

  /** A change by the process that works on a task. */
  @FunctionalInterface
  private interface Work {
    void apply(TaskEdit edit) throws SQLException;
  }

  /**
   * Changes a task for the process that works on it.
   *
   * @throws LostTaskException another process works on it now
   */
  private Task work(Task claimed, long now, Work work) {
    return database.transaction(
        sql -> {
          Task task = lock(sql, claimed.id()).orElseThrow(() -> lost(claimed));
          if (task.run().lease().epoch() != claimed.run().lease().epoch()) {
            throw lost(claimed);
          }
          TaskEdit edit = new TaskEdit(sql, task, now);
          work.apply(edit);
          return edit.save();
        });
  }

  private static LostTaskException lost(Task claimed) {
    return new LostTaskException(claimed.id());
  }

  /** Reads and locks a task to change it; other processes wait. */
  static Optional<Task> lock(Sql sql, String id) throws SQLException {
    return sql.first(TaskRow::read, SELECT + "WHERE id = ?" + sql.forUpdate(), id);
  }

  /** Cancels a task: at once, or by asking its process. */
  public Task cancel(String owner, String id, long now) throws ServiceException {
    return change(
        id,
        owner,
        now,
        0,
        edit -> {
          if (edit.state() == TaskState.CANCELLED) {
            return;
          }
          refuseEnded(edit, "cancelled");
          if (edit.state() == TaskState.ACTIVE || edit.hasSession()) {
            wake(edit);
            edit.intend(Intent.CANCEL);
          } else {
            edit.end(TaskState.CANCELLED, "cancelled by its user", null);
          }
        });
  }

  /** Queues a paused task whose session may still run, so that the session is searched again. */
  private static void wake(TaskEdit edit) {
    if (edit.state() == TaskState.PAUSED) {
      edit.moveTo(TaskState.QUEUED, "");
    }
  }

  public Task pause(String owner, String id, long now) throws ServiceException {
    return change(
        id,
        owner,
        now,
        0,
        edit -> {
          if (edit.state() == TaskState.PAUSED) {
            return;
          }
          refuseEnded(edit, "paused");
          if (edit.intent() == Intent.CANCEL) {
            throw Fault.CONFLICT.of("task " + id + " is being cancelled");
          }
          if (edit.state() == TaskState.ACTIVE || edit.hasSession()) {
            edit.intend(Intent.PAUSE);
          } else {
            edit.moveTo(TaskState.PAUSED, "paused by its user");
            edit.event(TaskEvent.Code.PAUSED, false, "paused by its user");
          }
        });
  }

  /** Resumes a paused task, or has one that waits after a fault tried again at once. */
  public Task resume(String owner, String id, long now) throws ServiceException {
    return change(
        id,
        owner,
        now,
        0,
        edit -> {
          refuseEnded(edit, "resumed" + again(edit.task().work()));
          if (edit.state() == TaskState.PAUSED) {
            edit.moveTo(TaskState.QUEUED, "");
            edit.event(TaskEvent.Code.RESUMED, false, "");
          } else if (edit.intent() == Intent.PAUSE) {
            edit.intend(Intent.RESTART);
            edit.event(TaskEvent.Code.RESUMED, false, "");
          } else if (edit.state() == TaskState.RETRYING && edit.task().run().notBefore() > now) {
            edit.intend(edit.intent()); // due at once
            edit.event(TaskEvent.Code.RESUMED, false, "retried before its time");
          }
        });
  }

  /**
   * Changes the settings of a task that its user may change.
   *
   * @param version the one that the client has seen; 0 for any
   */
  public Task modify(String owner, String id, Modification modification, long version, long now)
      throws ServiceException {
    return change(
        id,
        owner,
        now,
        version,
        edit -> {
          refuseEnded(edit, "modified");
          Task.Wish wish = modification.apply(edit.task().wish());
          String detail = difference(edit.task().wish(), wish);
          boolean isOtherRate = wish.bytesPerSecond() != edit.task().wish().bytesPerSecond();
          edit.wish(wish);
          edit.event(TaskEvent.Code.MODIFIED, false, detail);
          if (isOtherRate && edit.state() == TaskState.ACTIVE && edit.intent() == Intent.RUN) {
            edit.intend(Intent.RESTART);
          }
        });
  }

  @FunctionalInterface
  public interface Modification {
    Task.Wish apply(Task.Wish before) throws ServiceException;
  }

  private static String difference(Task.Wish before, Task.Wish after) {
    List<String> changes = new ArrayList<>();
    if (!after.label().equals(before.label())) {
      changes.add("label: " + after.label());
    }
    if (after.priority() != before.priority()) {
      changes.add("priority: " + after.priority());
    }
    if (after.deadline() != before.deadline()) {
      changes.add("deadline: " + Instant.ofEpochMilli(after.deadline()));
    }
    if (after.bytesPerSecond() != before.bytesPerSecond()) {
      changes.add(
          "limit: "
              + (after.bytesPerSecond() == 0
                  ? "none"
                  : BitRate.ofBytesPerSecond(after.bytesPerSecond())));
    }
    return changes.isEmpty() ? "nothing" : String.join(", ", changes);
  }

  /** How to run a task that has ended again. */
  private static String again(Task.Work work) {
    boolean isTransfer = work.kind() == TaskKind.TRANSFER;
    return ("; to run it again: fdt task %s %s%s%s, with its other options (fdt task show), or"
            + " 'Submit again' on the page")
        .formatted(
            isTransfer ? "submit" : "delete",
            work.options().spec().recursive() ? "-r " : "",
            work.paths().stream()
                .limit(MOST_NAMED)
                .map(path -> word(work.sourceName() + ":" + path))
                .collect(Collectors.joining(" ")),
            (work.paths().size() > MOST_NAMED ? " ..." : "")
                + (isTransfer
                    ? " " + word(work.destinationName() + ":" + work.destinationPath())
                    : ""));
  }

  /** A word quoted for a shell. */
  private static String word(String text) {
    return text.matches("[A-Za-z0-9_./+@%=:-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private static void refuseEnded(TaskEdit edit, String what) throws ServiceException {
    if (edit.state().hasEnded()) {
      throw Fault.CONFLICT.of(
          "task %s has ended (%s) and cannot be %s"
              .formatted(edit.task().id(), edit.state().name().toLowerCase(Locale.ROOT), what));
    }
  }

  private Task change(String id, String owner, long now, long version, Change change)
      throws ServiceException {
    return database.<Task, ServiceException>transaction(
        sql -> {
          Task task =
              lock(sql, id)
                  .filter(found -> found.owner().equals(owner))
                  .orElseThrow(() -> notFound(id));
          if (version != 0 && task.version() != version) {
            throw Fault.CHANGED.of(
                "task %s has changed since: its version is %d, not %d"
                    .formatted(id, task.version(), version));
          }
          TaskEdit edit = new TaskEdit(sql, task, now);
          change.apply(edit);
          return edit.save();
        });
  }
}
