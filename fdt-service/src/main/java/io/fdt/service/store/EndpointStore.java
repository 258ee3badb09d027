package io.fdt.service.store;

import io.fdt.service.task.Task;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The endpoints in the database. Any thread. */
public final class EndpointStore {
  private static final int MOST = 1000;

  private static final String COLUMNS =
      "id, owner, name, host, port, fingerprint, token, default_path, max_tasks, created, version,"
          + " checked, problem, refused, read_only";

  private final Database database;

  public EndpointStore(Database database) {
    this.database = database;
  }

  public void add(Endpoint endpoint) throws ServiceException {
    database.<Void, ServiceException>transaction(
        sql -> {
          List<String> names =
              sql.list(
                  row -> row.text(), "SELECT name FROM endpoint WHERE owner = ?", endpoint.owner());
          if (names.contains(endpoint.name())) {
            throw Fault.CONFLICT.of(
                "there is an endpoint '%s' already; choose another name, or remove it first"
                    .formatted(endpoint.name()));
          }
          if (names.size() >= MOST) {
            throw Fault.TOO_MANY.of("there are %d endpoints; remove one first".formatted(MOST));
          }
          sql.update(
              "INSERT INTO endpoint ("
                  + COLUMNS
                  + ", next_look) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
              endpoint.id(),
              endpoint.owner(),
              endpoint.name(),
              endpoint.host(),
              endpoint.port(),
              endpoint.fingerprint(),
              endpoint.token(),
              endpoint.defaultPath(),
              endpoint.maxTasks(),
              endpoint.created(),
              endpoint.version(),
              endpoint.health().checked(),
              endpoint.health().problem(),
              endpoint.health().isRefused() ? 1 : 0,
              endpoint.health().isReadOnly() ? 1 : 0,
              endpoint.health().nextLook());
          return null;
        });
  }

  /** The endpoints of a user, by name. */
  public List<Endpoint> list(String owner) {
    return database.list(
        EndpointStore::read,
        "SELECT " + COLUMNS + " FROM endpoint WHERE owner = ? ORDER BY name",
        owner);
  }

  /** The most concurrent tasks of each endpoint, by its id. */
  public Map<String, Integer> mostTasks() {
    Map<String, Integer> all = new HashMap<>();
    database.list(row -> all.put(row.text(), row.count()), "SELECT id, max_tasks FROM endpoint");
    return all;
  }

  public Optional<Endpoint> find(String owner, String idOrName) {
    return database.first(
        EndpointStore::read,
        "SELECT "
            + COLUMNS
            + " FROM endpoint WHERE owner = ? AND (id = ? OR name = ?) ORDER BY"
            + " CASE WHEN name = ? THEN 0 ELSE 1 END",
        owner,
        idOrName,
        idOrName,
        idOrName);
  }

  /**
   * Stores the next version of an endpoint; running tasks keep their version.
   *
   * @throws ServiceException CHANGED after a concurrent change
   */
  public void change(Endpoint next) throws ServiceException {
    database.<Void, ServiceException>transaction(
        sql -> {
          int changed =
              sql.update(
                  "UPDATE endpoint SET fingerprint = ?, token = ?, default_path = ?, max_tasks = ?,"
                      + " version = ?, checked = ?, problem = ?, refused = ?, read_only = ?,"
                      + " next_look = ?"
                      + " WHERE id = ? AND version = ?",
                  next.fingerprint(),
                  next.token(),
                  next.defaultPath(),
                  next.maxTasks(),
                  next.version(),
                  next.health().checked(),
                  next.health().problem(),
                  next.health().isRefused() ? 1 : 0,
                  next.health().isReadOnly() ? 1 : 0,
                  next.health().nextLook(),
                  next.id(),
                  next.version() - 1);
          if (changed == 0) {
            throw Fault.CHANGED.of("endpoint '%s' has changed since".formatted(next.name()));
          }
          return null;
        });
  }

  /**
   * Removes an endpoint that no unfinished task uses.
   *
   * @param version the one that the client has seen; 0 for any
   */
  public void remove(Endpoint endpoint, long version) throws ServiceException {
    database.<Void, ServiceException>transaction(
        sql -> {
          Optional<String> user =
              sql.first(
                  row -> row.text(),
                  "SELECT id FROM task WHERE (source = ? OR destination = ?)"
                      + " AND state NOT IN ('SUCCEEDED', 'FAILED', 'CANCELLED')",
                  endpoint.id(),
                  endpoint.id());
          if (user.isPresent()) {
            throw Fault.CONFLICT.of(
                "task %s uses endpoint '%s'; cancel it first"
                    .formatted(user.get(), endpoint.name()));
          }
          int removed =
              sql.update(
                  "DELETE FROM endpoint WHERE id = ? AND (version = ? OR ? = 0)",
                  endpoint.id(),
                  version,
                  version);
          if (removed == 0) {
            throw Fault.CHANGED.of("endpoint '%s' has changed since".formatted(endpoint.name()));
          }
          return null;
        });
  }

  /** Makes a check due for all endpoints not checked since a time. */
  public void lookAgain(long since) {
    database.update("UPDATE endpoint SET next_look = checked WHERE checked < ?", since);
  }

  /** Makes a check due for endpoints at which a task failed. */
  public void lookAgain(Task task, long now) {
    database.update(
        "UPDATE endpoint SET next_look = ? WHERE id IN (?, ?) AND next_look > ?",
        now,
        task.work().source(),
        task.work().destination(),
        now);
  }

  /**
   * The endpoints with a due check, the longest waiting first.
   *
   * @param without users whose endpoints are excluded
   */
  public List<Endpoint> due(long now, int most, List<String> without) {
    List<Object> arguments = new ArrayList<>(List.of(now));
    arguments.addAll(without);
    arguments.add(most);
    return database.list(EndpointStore::read, due(without.size()), arguments.toArray());
  }

  /**
   * The query for due endpoints, run once a second: the index {@code endpoint_due} limits it to due
   * rows.
   */
  static String due(int without) {
    return "SELECT "
        + COLUMNS
        + " FROM endpoint WHERE next_look <= ?"
        + " AND owner <> ?".repeat(without)
        + " ORDER BY next_look, id LIMIT ?";
  }

  /**
   * Claims the next check of an endpoint for this process. Until its result is stored, the last one
   * counts.
   *
   * @return false when another process was faster
   */
  public boolean claimLook(Endpoint endpoint, long now) {
    return database.<Boolean, RuntimeException>transaction(
        sql ->
            sql.update(
                    "UPDATE endpoint SET next_look = ? WHERE id = ? AND next_look <= ?",
                    now + Endpoint.Health.USUAL.toMillis(),
                    endpoint.id(),
                    now)
                == 1);
  }

  /** Stores the result of a check, unless the endpoint has changed. */
  public void note(Endpoint endpoint, Endpoint.Health health) {
    database.update(
        "UPDATE endpoint SET checked = ?, problem = ?, refused = ?, read_only = ?, next_look = ?"
            + " WHERE id = ? AND version = ?",
        health.checked(),
        health.problem(),
        health.isRefused() ? 1 : 0,
        health.isReadOnly() ? 1 : 0,
        health.nextLook(),
        endpoint.id(),
        endpoint.version());
  }

  private static Endpoint read(Sql.Row row) throws SQLException {
    return new Endpoint(
        row.text(),
        row.text(),
        row.text(),
        row.text(),
        row.count(),
        row.text(),
        row.text(),
        row.text(),
        row.count(),
        row.number(),
        row.number(),
        new Endpoint.Health(row.number(), row.text(), row.count() == 1, row.count() == 1));
  }
}
