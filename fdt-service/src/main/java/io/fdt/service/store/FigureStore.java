package io.fdt.service.store;

import io.fdt.service.task.LinkPace;
import io.fdt.service.task.TaskState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Figures of the tasks of all users and processes, for those who watch the service. Any thread. */
public final class FigureStore {
  /** What the endpoint of this machine is called in the names of links. */
  private static final String NAME_OF_SOURCE =
      "CASE WHEN l.source LIKE 'local%' THEN 'local' ELSE s.name END";

  private static final String NAME_OF_DESTINATION =
      "CASE WHEN l.destination LIKE 'local%' THEN 'local' ELSE d.name END";

  private final Database database;

  public FigureStore(Database database) {
    this.database = database;
  }

  /**
   * From one endpoint to another, by their names.
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

  /** What the tasks of one link in one state come to. */
  public record OfLink(
      Link link, TaskState state, long tasks, long attempts, long faults, long bytes) {}

  /** The figures of at most this many links and states, the busiest first. */
  public List<OfLink> links(int most) {
    return database.transaction(
        sql ->
            sql.list(
                row ->
                    new OfLink(
                        new Link(row.getString(1), row.getString(2)),
                        TaskState.valueOf(row.getString(3)),
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6),
                        row.getLong(7)),
                "SELECT source_name, destination_name, state, COUNT(*), SUM(attempts),"
                    + " SUM(faults), SUM(bytes_done) FROM task"
                    + " GROUP BY source_name, destination_name, state"
                    + " ORDER BY COUNT(*) DESC LIMIT ?",
                most));
  }

  /**
   * How many tasks may run at once on each link, as {@link LinkPace} has found. Links of several
   * users whose endpoints have the same names are added up.
   */
  public Map<Link, Long> places(int most) {
    Map<Link, Long> all = new TreeMap<>();
    database.transaction(
        sql ->
            sql.list(
                row -> {
                  Link link = new Link(row.getString(1), row.getString(2));
                  LinkPace.ofText(row.getString(3))
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
                most));
    return all;
  }

  /**
   * A figure of one endpoint.
   *
   * @param user whose endpoint it is: names are unique among those of one user only
   */
  public record OfEndpoint(String user, String endpoint, long value) {
    private static OfEndpoint read(ResultSet row) throws SQLException {
      return new OfEndpoint(row.getString(1), row.getString(2), row.getLong(3));
    }
  }

  /** How many tasks run at each endpoint. */
  public List<OfEndpoint> runningAt(int most) {
    return database.transaction(
        sql ->
            sql.list(
                OfEndpoint::read,
                "SELECT owner, name, COUNT(*) FROM (SELECT owner, source_name AS name FROM task"
                    + " WHERE state = 'ACTIVE' UNION ALL SELECT owner, destination_name AS name"
                    + " FROM task WHERE state = 'ACTIVE' AND destination_name <> ''"
                    + " AND destination_name <> source_name) AS ends"
                    + " GROUP BY owner, name ORDER BY COUNT(*) DESC, owner, name LIMIT ?",
                most));
  }

  /** Whether each endpoint could be used at the last look: 1 or 0. */
  public List<OfEndpoint> reachable(int most) {
    return database.transaction(
        sql ->
            sql.list(
                OfEndpoint::read,
                "SELECT owner, name, CASE WHEN problem = '' THEN 1 ELSE 0 END FROM endpoint"
                    + " WHERE checked > 0 ORDER BY owner, name LIMIT ?",
                most));
  }

  /** What one task that runs has come to. */
  public record OfTask(String id, Link link, long files, long bytes, long faults) {}

  /** At most this many tasks that run. */
  public List<OfTask> running(int most) {
    return database.transaction(
        sql ->
            sql.list(
                row ->
                    new OfTask(
                        row.getString(1),
                        new Link(row.getString(2), row.getString(3)),
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6)),
                "SELECT id, source_name, destination_name, files_done, bytes_done, faults"
                    + " FROM task WHERE state = 'ACTIVE' ORDER BY started DESC, id LIMIT ?",
                most));
  }
}
