package io.fdt.service.store;

import io.fdt.service.task.LinkPace;
import io.fdt.service.task.TaskState;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Figures of the tasks of all users, for monitoring. Any thread. */
public final class FigureStore {
  /** The name of the source; "local" for a machine of the service. */
  private static final String NAME_OF_SOURCE =
      "CASE WHEN l.source LIKE 'local%' THEN 'local' ELSE s.name END";

  private static final String NAME_OF_DESTINATION =
      "CASE WHEN l.destination LIKE 'local%' THEN 'local' ELSE d.name END";

  private final Database database;
  private final String process;

  /**
   * The figures of one process.
   *
   * @param process its name in leases
   */
  public FigureStore(Database database, String process) {
    this.database = database;
    this.process = process;
  }

  /**
   * A pair of endpoints, by their names.
   *
   * @param destination empty for deletions
   */
  public record Link(String source, String destination) implements Comparable<Link> {
    @Override
    public int compareTo(Link other) {
      int bySource = source.compareTo(other.source);
      return bySource != 0 ? bySource : destination.compareTo(other.destination);
    }
  }

  /**
   * The tasks of all users that have not ended.
   *
   * @param byState number in each state
   * @param waitsSince submission of the oldest waiting one, in milliseconds since 1970; 0 for none
   * @param now by the clock of the database
   */
  public record Unfinished(Map<TaskState, Long> byState, long waitsSince, long now) {
    public Unfinished {
      byState = Map.copyOf(byState);
    }
  }

  /** The unfinished tasks. Ended ones are not read. */
  public Unfinished unfinished() {
    return database.transaction(
        sql -> {
          Map<TaskState, Long> byState = new EnumMap<>(TaskState.class);
          sql.list(
              row -> byState.put(TaskState.valueOf(row.text()), row.number()),
              "SELECT state, COUNT(*) FROM task"
                  + " WHERE state IN ('QUEUED', 'ACTIVE', 'RETRYING', 'PAUSED') GROUP BY state");
          long since =
              sql.first(row -> row.number(), "SELECT MIN(created) FROM task WHERE state = 'QUEUED'")
                  .orElse(0L);
          long now = sql.first(row -> row.number(), "SELECT " + sql.now()).orElseThrow();
          return new Unfinished(byState, since, now);
        });
  }

  /**
   * The most concurrent tasks on each link, as determined by {@link LinkPace}; summed over users
   * whose endpoints have the same names.
   */
  public Map<Link, Long> places(int most) {
    Map<Link, Long> all = new TreeMap<>();
    database.list(
        row -> {
          Link link = new Link(row.text(), row.text());
          LinkPace.ofText(row.text())
              .ifPresent(pace -> all.merge(link, (long) pace.places(), Long::sum));
          return link;
        },
        "SELECT "
            + NAME_OF_SOURCE
            + ", "
            + NAME_OF_DESTINATION
            + ", l.pace FROM link l LEFT JOIN endpoint s ON s.id = l.source"
            + " LEFT JOIN endpoint d ON d.id = l.destination"
            + " WHERE (l.source LIKE 'local%' OR s.name IS NOT NULL)"
            + " AND (l.destination LIKE 'local%' OR d.name IS NOT NULL)"
            + " ORDER BY l.changed DESC LIMIT ?",
        most);
    return all;
  }

  /**
   * A figure of one endpoint.
   *
   * @param user owner of the endpoint: names are unique only per user
   */
  public record OfEndpoint(String user, String endpoint, long value) {
    private static OfEndpoint read(Sql.Row row) throws SQLException {
      return new OfEndpoint(row.text(), row.text(), row.number());
    }
  }

  /** The number of running tasks of this process at each endpoint. */
  public List<OfEndpoint> runningAt(int most) {
    return database.list(
        OfEndpoint::read,
        "SELECT owner, name, COUNT(*) FROM (SELECT owner, source_name AS name FROM task"
            + " WHERE state = 'ACTIVE' AND lease_owner = ?"
            + " UNION ALL SELECT owner, destination_name AS name"
            + " FROM task WHERE state = 'ACTIVE' AND lease_owner = ?"
            + " AND destination_name <> '' AND destination_name <> source_name) AS ends"
            + " GROUP BY owner, name ORDER BY COUNT(*) DESC, owner, name LIMIT ?",
        process,
        process,
        most);
  }

  /** Whether each endpoint was usable at the last check: 1 or 0. */
  public List<OfEndpoint> reachable(int most) {
    return database.list(
        OfEndpoint::read,
        "SELECT owner, name, CASE WHEN problem = '' THEN 1 ELSE 0 END FROM endpoint"
            + " WHERE checked > 0 ORDER BY owner, name LIMIT ?",
        most);
  }

  public record OfTask(String id, Link link, long files, long bytes, long faults) {}

  /** The running tasks of this process, at most this many. */
  public List<OfTask> running(int most) {
    return database.list(
        row ->
            new OfTask(
                row.text(),
                new Link(row.text(), row.text()),
                row.number(),
                row.number(),
                row.number()),
        "SELECT id, source_name, destination_name, files_done, bytes_done, faults"
            + " FROM task WHERE state = 'ACTIVE' AND lease_owner = ?"
            + " ORDER BY started DESC, id LIMIT ?",
        process,
        most);
  }
}
