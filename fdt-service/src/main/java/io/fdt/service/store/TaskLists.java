package io.fdt.service.store;

import io.fdt.service.task.Task;
import io.fdt.service.task.TaskState;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Lists of tasks, of one user or of all. Any thread. */
public final class TaskLists {
  private static final String SELECT = "SELECT " + TaskRow.COLUMNS + " FROM task ";

  /** The beginning of an id of 20 digits, as long as the short ids of sessions or longer. */
  private static final Pattern SHORT_ID = Pattern.compile("[0-9a-f]{8,19}");

  private final Database database;

  TaskLists(Database database) {
    this.database = database;
  }

  /** The owner of a task; empty for an unknown task. */
  public Optional<String> owner(String id) {
    return database.first(row -> row.text(), "SELECT owner FROM task WHERE id = ?", id);
  }

  /**
   * The id of the only task whose id begins with eight digits or more; for another text or without
   * such a task, the text.
   *
   * @param owner of the task; empty for any
   * @throws ServiceException CONFLICT for several tasks
   */
  public String complete(String owner, String beginning) throws ServiceException {
    if (!SHORT_ID.matcher(beginning).matches()) {
      return beginning;
    }
    List<String> ids =
        database.list(
            row -> row.text(),
            "SELECT id FROM task WHERE id >= ? AND id < ? AND (owner = ? OR ? = '')"
                + " ORDER BY id LIMIT 2",
            beginning,
            beginning + "g",
            owner,
            owner);
    if (ids.size() > 1) {
      throw Fault.CONFLICT.of(
          "several ids begin with '%s', such as %s and %s; write more of it"
              .formatted(beginning, ids.get(0), ids.get(1)));
    }
    return ids.isEmpty() ? beginning : ids.get(0);
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
