package io.fdt.service.store;

import io.fdt.json.Json;
import io.fdt.json.JsonException;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Intent;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A task as a row of the database: one list of columns for all statements. Stateless. */
final class TaskRow {
  /** A column and its value. */
  private record Column(String name, Function<Task, Object> value) {}

  /** Columns that never change. */
  private static final List<Column> FIXED =
      List.of(
          new Column("id", Task::id),
          new Column("owner", Task::owner),
          new Column("submission_id", Task::submissionId),
          new Column("kind", task -> task.work().kind().name()),
          new Column("source", task -> task.work().source()),
          new Column("source_name", task -> task.work().sourceName()),
          new Column("destination", task -> task.work().destination()),
          new Column("destination_name", task -> task.work().destinationName()),
          new Column("paths", task -> Json.text(task.work().paths())),
          new Column("destination_path", task -> task.work().destinationPath()),
          new Column("options", task -> Json.text(task.work().options().toJson())),
          new Column("created", Task::created));

  private static final List<Column> CHANGING =
      List.of(
          new Column("label", task -> task.wish().label()),
          new Column("priority", task -> task.wish().priority()),
          new Column("deadline", task -> task.wish().deadline()),
          new Column("rate_limit", task -> task.wish().bytesPerSecond()),
          new Column("state", task -> task.run().state().name()),
          new Column("intent", task -> task.run().intent().name()),
          new Column("started", Task::started),
          new Column("ended", Task::ended),
          new Column("not_before", task -> task.run().notBefore()),
          new Column("attempts", task -> task.run().attempts()),
          new Column("faults", task -> task.run().faults()),
          new Column("session", task -> task.run().session()),
          new Column("session_at", task -> task.run().sessionAt()),
          new Column("message", task -> task.run().message()),
          new Column("lease_owner", task -> task.run().lease().owner()),
          new Column("lease_until", task -> task.run().lease().until()),
          new Column("epoch", task -> task.run().lease().epoch()),
          new Column("bytes_done", task -> task.counts().bytesDone()),
          new Column("bytes_total", task -> task.counts().bytesTotal()),
          new Column("files_done", task -> task.counts().filesDone()),
          new Column("files_failed", task -> task.counts().filesFailed()),
          new Column("files_total", task -> task.counts().filesTotal()),
          new Column("events", Task::events),
          new Column("version", Task::version));

  /** The names of all columns that {@link #read} needs. */
  static final String COLUMNS =
      Stream.concat(FIXED.stream(), CHANGING.stream())
          .map(Column::name)
          .collect(Collectors.joining(", "));

  private static final String INSERT =
      "INSERT INTO task (request, changed, %s) VALUES (?, %%s%s)"
          .formatted(COLUMNS, ", ?".repeat(FIXED.size() + CHANGING.size()));

  private static final String UPDATE =
      "UPDATE task SET changed = %%s, %s WHERE id = ?"
          .formatted(
              CHANGING.stream()
                  .map(column -> column.name() + " = ?")
                  .collect(Collectors.joining(", ")));

  private TaskRow() {}

  static Task read(ResultSet row) throws SQLException {
    return new Task(
        row.getString("id"),
        row.getString("owner"),
        row.getString("submission_id"),
        new Task.Work(
            TaskKind.valueOf(row.getString("kind")),
            row.getString("source"),
            row.getString("source_name"),
            row.getString("destination"),
            row.getString("destination_name"),
            paths(row.getString("paths")),
            row.getString("destination_path"),
            TaskOptions.ofStored(row.getString("options"))),
        new Task.Wish(
            row.getString("label"),
            (int) row.getLong("priority"),
            row.getLong("deadline"),
            row.getLong("rate_limit")),
        new Task.Run(
            TaskState.valueOf(row.getString("state")),
            Intent.valueOf(row.getString("intent")),
            row.getLong("not_before"),
            (int) row.getLong("attempts"),
            (int) row.getLong("faults"),
            row.getString("session"),
            row.getString("session_at"),
            row.getString("message"),
            new Task.Lease(
                row.getString("lease_owner"), row.getLong("lease_until"), row.getLong("epoch"))),
        new Counts(
            row.getLong("bytes_done"),
            row.getLong("bytes_total"),
            row.getLong("files_done"),
            row.getLong("files_failed"),
            row.getLong("files_total")),
        row.getLong("created"),
        row.getLong("started"),
        row.getLong("ended"),
        row.getLong("events"),
        row.getLong("version"));
  }

  private static List<String> paths(String stored) {
    try {
      List<String> paths = new ArrayList<>();
      for (Object path : (List<?>) Json.parse(stored)) {
        paths.add((String) path);
      }
      return paths;
    } catch (JsonException e) {
      throw new IllegalStateException("the database holds bad paths", e);
    }
  }

  /** Inserts a task; {@code request} is the text by which a repeated submission is compared. */
  static void insert(Sql sql, Task task, String request) throws SQLException {
    List<Object> values = new ArrayList<>();
    values.add(request);
    FIXED.forEach(column -> values.add(column.value().apply(task)));
    CHANGING.forEach(column -> values.add(column.value().apply(task)));
    sql.update(INSERT.formatted(sql.now()), values.toArray());
  }

  /** Writes the columns that may change. */
  static void update(Sql sql, Task task) throws SQLException {
    List<Object> values = new ArrayList<>();
    CHANGING.forEach(column -> values.add(column.value().apply(task)));
    values.add(task.id());
    sql.update(UPDATE.formatted(sql.now()), values.toArray());
  }
}
