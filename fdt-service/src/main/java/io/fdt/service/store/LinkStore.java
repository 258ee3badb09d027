package io.fdt.service.store;

import io.fdt.service.task.LinkPace;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The best number of tasks for each link, shared by all processes and kept across restarts. Any
 * thread.
 */
public final class LinkStore {
  private final Database database;

  public LinkStore(Database database) {
    this.database = database;
  }

  /** A pair of endpoints, by their ids. */
  public record Link(String source, String destination) {}

  /** All links that were used. */
  public Map<Link, LinkPace> all() {
    Map<Link, LinkPace> all = new HashMap<>();
    database.list(
        row -> {
          Link link = new Link(row.text(), row.text());
          LinkPace.ofText(row.text()).ifPresent(pace -> all.put(link, pace));
          return link;
        },
        "SELECT source, destination, pace FROM link");
    return all;
  }

  /** Changes the stored pace of a link. */
  public void change(Link link, long now, UnaryOperator<LinkPace> change) {
    database.<Integer, RuntimeException>transaction(sql -> change(sql, link, now, change));
  }

  private static int change(Sql sql, Link link, long now, UnaryOperator<LinkPace> change)
      throws SQLException {
    Optional<String> stored =
        sql.first(
            row -> row.text(),
            "SELECT pace FROM link WHERE source = ? AND destination = ?" + sql.forUpdate(),
            link.source(),
            link.destination());
    LinkPace pace =
        change.apply(stored.flatMap(LinkPace::ofText).orElseGet(() -> LinkPace.begin(now)));
    return sql.update(
        "INSERT INTO link (source, destination, pace, changed) VALUES (?, ?, ?, ?)"
            + " ON CONFLICT (source, destination) DO UPDATE SET pace = excluded.pace,"
            + " changed = excluded.changed",
        link.source(),
        link.destination(),
        pace.text(),
        now);
  }
}
