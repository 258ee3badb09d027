package io.fdt.service.store;

import io.fdt.json.Json;
import io.fdt.json.JsonException;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Intent;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.task.TaskState;
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
          new Column("files_moved", task -> task.counts().moved().files()),
          new Column("files_deleted", task -> task.counts().filesDeleted()),
          new Column("bytes_before", task -> task.counts().before().bytes()),
          new Column("files_before", task -> task.counts().before().files()),
          new Column("deleted_before", task -> task.counts().before().deleted()),
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

  static Task read(Sql.Row row) throws SQLException {
    return new Task(
        row.text("id"),
        row.text("owner"),
        row.text("submission_id"),
        new Task.Work(
            TaskKind.valueOf(row.text("kind")),
            row.text("source"),
            row.text("source_name"),
            row.text("destination"),
            row.text("destination_name"),
            paths(row.text("paths")),
            row.text("destination_path"),
            TaskOptions.ofStored(row.text("options"))),
        new Task.Wish(
            row.text("label"),
            (int) row.number("priority"),
            row.number("deadline"),
            row.number("rate_limit")),
        new Task.Run(
            TaskState.valueOf(row.text("state")),
            Intent.valueOf(row.text("intent")),
            row.number("not_before"),
            (int) row.number("attempts"),
            (int) row.number("faults"),
            row.text("session"),
            row.text("session_at"),
            row.text("message"),
            new Task.Lease(
                row.text("lease_owner"), row.number("lease_until"), row.number("epoch"))),
        new Counts(
            new Counts.Moved(
                row.number("bytes_done"), row.number("files_moved"), row.number("files_deleted")),
            new Counts.Moved(
                row.number("bytes_before"),
                row.number("files_before"),
                row.number("deleted_before")),
            row.number("bytes_total"),
            row.number("files_done"),
            row.number("files_failed"),
            row.number("files_total")),
        row.number("created"),
        row.number("started"),
        row.number("ended"),
        row.number("events"),
        row.number("version"));
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
