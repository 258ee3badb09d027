package io.fdt.service.store;

import io.fdt.service.task.Task;
import io.fdt.service.task.TaskState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Lists of tasks, of one user or of all. Any thread. */
public final class TaskLists {
  private static final String SELECT = "SELECT " + TaskRow.COLUMNS + " FROM task ";

  private final Database database;

  TaskLists(Database database) {
    this.database = database;
  }

  /** The owner of a task; empty for an unknown task. */
  public Optional<String> owner(String id) {
    return database.first(row -> row.text(), "SELECT owner FROM task WHERE id = ?", id);
  }

  /**
   * Tasks, the newest first.
   *
   * @param beforeCreated only older ones: the position after a task in this order
   * @param beforeId the id of that task
   */
  public List<Task> list(TaskFilter filter, long beforeCreated, String beforeId, int most) {
    List<Object> values = new ArrayList<>();
    String where = filter.where(values);
    values.addAll(List.of(beforeCreated, beforeCreated, beforeId, most));
    return database.list(
        TaskRow::read,
        SELECT
            + where
            // The first part is what an index can find; the others settle equal times.
            + " created <= ? AND (created < ? OR id < ?)"
            + " ORDER BY created DESC, id DESC LIMIT ?",
        values.toArray());
  }

  /** The number of tasks in each state; states without tasks are omitted. */
  public Map<TaskState, Long> count(TaskFilter filter) {
    List<Object> values = new ArrayList<>();
    String where = filter.where(values);
    Map<TaskState, Long> counts = new EnumMap<>(TaskState.class);
    database.list(
        row -> counts.put(TaskState.valueOf(row.text()), row.number()),
        "SELECT state, COUNT(*) FROM task " + where + " 1 = 1 GROUP BY state",
        values.toArray());
    return counts;
  }
}
