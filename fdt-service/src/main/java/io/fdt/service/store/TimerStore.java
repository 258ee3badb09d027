package io.fdt.service.store;

import io.fdt.json.Json;
import io.fdt.json.JsonException;
import io.fdt.service.task.DailyWindow;
import io.fdt.service.task.TimerPlan;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Recurring tasks in the database. Any thread. */
public final class TimerStore {
  private static final int MOST = 1000;

  private static final String COLUMNS =
      "id, owner, name, task, interval_ms, next_at, until_at, hours, runs, last_task, message,"
          + " paused";

  private final Database database;

  public TimerStore(Database database) {
    this.database = database;
  }

  /**
   * A recurring task. Times are milliseconds since 1970. Immutable.
   *
   * @param task the fields of its submissions, as JSON
   * @param nextAt time of the next submission; 0 when it has ended
   * @param untilAt its end; 0 for never
   * @param window the part of each day in which it submits; empty for all of it
   * @param lastTask the id of the last task; empty for none
   * @param message why the last submission failed; empty if it did not
   * @param isPaused whether it submits nothing for now
   */
  public record Timer(
      String id,
      String owner,
      String name,
      String task,
      long intervalMillis,
      long nextAt,
      long untilAt,
      String window,
      long runs,
      String lastTask,
      String message,
      boolean isPaused) {
    public TimerPlan plan() {
      return new TimerPlan(
          intervalMillis, untilAt, DailyWindow.parse(window, ZoneId.systemDefault()));
    }

    /** The fields of its submissions, for the caller to change. */
    public Map<String, Object> fields() {
      try {
        return Json.parseObject(task);
      } catch (JsonException e) {
        throw new IllegalStateException("the database holds a bad timer", e);
      }
    }
  }

  public void add(Timer timer) throws ServiceException {
    database.<Void, ServiceException>transaction(
        sql -> {
          List<String> names =
              sql.list(row -> row.text(), "SELECT name FROM timer WHERE owner = ?", timer.owner());
          if (names.contains(timer.name())) {
            throw Fault.CONFLICT.of(
                "there is a timer '%s' already; choose another name, or remove it first"
                    .formatted(timer.name()));
          }
          if (names.size() >= MOST) {
            throw Fault.TOO_MANY.of("there are %d timers; remove one first".formatted(MOST));
          }
          sql.update(
              "INSERT INTO timer (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
              timer.id(),
              timer.owner(),
              timer.name(),
              timer.task(),
              timer.intervalMillis(),
              timer.nextAt(),
              timer.untilAt(),
              timer.window(),
              timer.runs(),
              timer.lastTask(),
              timer.message(),
              timer.isPaused() ? 1 : 0);
          return null;
        });
  }

  /** The timers of a user, by name. */
  public List<Timer> list(String owner) {
    return database.list(
        TimerStore::read, "SELECT " + COLUMNS + " FROM timer WHERE owner = ? ORDER BY name", owner);
  }

  public Timer get(String owner, String name) throws ServiceException {
    Optional<Timer> found =
        database.first(
            TimerStore::read,
            "SELECT " + COLUMNS + " FROM timer WHERE owner = ? AND name = ?",
            owner,
            name);
    return found.orElseThrow(
        () -> Fault.NOT_FOUND.of("there is no timer '" + name + "'; see: fdt timer list"));
  }

  /** Removes a timer; its tasks are kept. */
  public void remove(String id) {
    database.update("DELETE FROM timer WHERE id = ?", id);
  }

  /**
   * Pauses or resumes a timer.
   *
   * @param nextAt time of the next submission; 0 when it has ended
   */
  public void pause(String id, boolean isPaused, long nextAt) {
    database.update(
        "UPDATE timer SET paused = ?, next_at = ? WHERE id = ?", isPaused ? 1 : 0, nextAt, id);
  }

  public List<Timer> due(long now) {
    return database.list(
        TimerStore::read,
        "SELECT " + COLUMNS + " FROM timer WHERE next_at > 0 AND next_at <= ?" + " AND paused = 0",
        now);
  }

  /**
   * Records the result of a due time; does nothing if that was recorded before.
   *
   * @param task the id of the task; empty for none
   */
  public void fired(Timer timer, long nextAt, String task, String message) {
    database.update(
        "UPDATE timer SET next_at = ?, runs = runs + ?, last_task = ?, message = ?"
            + " WHERE id = ? AND next_at = ?",
        nextAt,
        task.isEmpty() ? 0 : 1,
        task.isEmpty() ? timer.lastTask() : task,
        message,
        timer.id(),
        timer.nextAt());
  }

  private static Timer read(Sql.Row row) throws SQLException {
    return new Timer(
        row.text(),
        row.text(),
        row.text(),
        row.text(),
        row.number(),
        row.number(),
        row.number(),
        row.text(),
        row.number(),
        row.text(),
        row.text(),
        row.number() != 0);
  }
}
