package io.fdt.service.store;

import io.fdt.service.task.Counts;
import io.fdt.service.task.Intent;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.task.TaskState;
import io.fdt.service.value.Json;
import io.fdt.service.value.ServiceException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A task as a row of the database; reading and writing side by side. Stateless. */
final class TaskRow {
  static final String COLUMNS =
      "id, owner, submission_id, kind, source, source_name, destination, destination_name, paths,"
          + " destination_path, options, label, priority, deadline, rate_limit, state, intent,"
          + " created, started, ended, not_before, attempts, faults, session, session_at, message,"
          + " bytes_done, bytes_total, files_done, files_failed, files_total, events, version";

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
            row.getString("message")),
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
    } catch (ServiceException e) {
      throw new IllegalStateException("the database holds bad paths", e);
    }
  }

  /** Inserts a task; {@code request} is the text by which a repeated submission is compared. */
  static void insert(Sql sql, Task task, String request) throws SQLException {
    sql.update(
        "INSERT INTO task (request, " + COLUMNS + ") VALUES (?" + ", ?".repeat(33) + ")",
        request,
        task.id(),
        task.owner(),
        task.submissionId(),
        task.work().kind().name(),
        task.work().source(),
        task.work().sourceName(),
        task.work().destination(),
        task.work().destinationName(),
        Json.text(task.work().paths()),
        task.work().destinationPath(),
        Json.text(task.work().options().toJson()),
        task.wish().label(),
        task.wish().priority(),
        task.wish().deadline(),
        task.wish().bytesPerSecond(),
        task.run().state().name(),
        task.run().intent().name(),
        task.created(),
        task.started(),
        task.ended(),
        task.run().notBefore(),
        task.run().attempts(),
        task.run().faults(),
        task.run().session(),
        task.run().sessionAt(),
        task.run().message(),
        task.counts().bytesDone(),
        task.counts().bytesTotal(),
        task.counts().filesDone(),
        task.counts().filesFailed(),
        task.counts().filesTotal(),
        task.events(),
        task.version());
  }

  /** Writes what may change in the life of a task. */
  static void update(Sql sql, Task task) throws SQLException {
    sql.update(
        "UPDATE task SET label = ?, priority = ?, deadline = ?, rate_limit = ?, state = ?,"
            + " intent = ?, started = ?, ended = ?, not_before = ?, attempts = ?, faults = ?,"
            + " session = ?, session_at = ?, message = ?, bytes_done = ?, bytes_total = ?,"
            + " files_done = ?, files_failed = ?, files_total = ?, events = ?, version = ?"
            + " WHERE id = ?",
        task.wish().label(),
        task.wish().priority(),
        task.wish().deadline(),
        task.wish().bytesPerSecond(),
        task.run().state().name(),
        task.run().intent().name(),
        task.started(),
        task.ended(),
        task.run().notBefore(),
        task.run().attempts(),
        task.run().faults(),
        task.run().session(),
        task.run().sessionAt(),
        task.run().message(),
        task.counts().bytesDone(),
        task.counts().bytesTotal(),
        task.counts().filesDone(),
        task.counts().filesFailed(),
        task.counts().filesTotal(),
        task.events(),
        task.version(),
        task.id());
  }
}
