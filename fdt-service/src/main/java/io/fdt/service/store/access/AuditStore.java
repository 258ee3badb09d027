package io.fdt.service.store.access;

import io.fdt.service.store.Database;
import io.fdt.service.store.Sql;
import io.fdt.service.value.Secrets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Changes with their users, times and addresses. An entry is written before the change, so that no
 * change is without one, and gets its status afterwards. The table is bounded: refusals are
 * counted, and {@link #trim} removes the oldest entries. Any thread.
 */
public final class AuditStore {
  private final Database database;

  public AuditStore(Database database) {
    this.database = database;
  }

  /**
   * One request for a change. Immutable.
   *
   * @param at milliseconds since 1970
   * @param owner the requesting user
   * @param address of the client
   * @param action the method and the route
   * @param target the path
   * @param about the object of the change, by the name that it had then; empty for none
   * @param status of HTTP; 0 when the service died before its answer
   * @param detail the reason of a refusal; otherwise empty
   * @param times number of equal refusals within the hour
   */
  public record Entry(
      String id,
      long at,
      String owner,
      String address,
      String action,
      String target,
      String about,
      int status,
      String detail,
      long times) {
    /** The most characters of a text chosen by a client. */
    private static final int MOST_TEXT = 300;

    /** The first status of HTTP that refuses. */
    private static final int REFUSED = 400;

    /** Whether the change was not made. */
    public boolean isRefused() {
      return status >= REFUSED;
    }

    /** Truncates texts chosen by the client, so that an entry has at most 2 KB. */
    public Entry {
      target = cut(target);
      about = cut(about);
      detail = cut(detail);
    }

    private static String cut(String text) {
      return text.length() > MOST_TEXT ? text.substring(0, MOST_TEXT) + " ..." : text;
    }
  }

  private static final String INSERT =
      "INSERT INTO audit (id, at, owner, address, action, target, about, status, detail, times)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  public void begin(Entry entry) {
    database.<Integer, RuntimeException>transaction(sql -> insert(sql, INSERT, entry.id(), entry));
  }

  private static int insert(Sql sql, String statement, String id, Entry entry) throws SQLException {
    return sql.update(
        statement,
        id,
        entry.at(),
        entry.owner(),
        entry.address(),
        entry.action(),
        entry.target(),
        entry.about(),
        entry.status(),
        entry.detail(),
        entry.times());
  }

  /**
   * Stores a refusal. Refusals of one user, network, action and status within an hour share one
   * entry with a count, so that many take no space.
   *
   * @param refused its id is new, or that of a begun entry, which ends with this
   * @param network of the client, as counted by limits
   */
  public void refuse(Entry refused, String network) {
    long hour = refused.at() / 3_600_000;
    String same =
        String.join(
            "\n",
            refused.owner(),
            network,
            refused.action(),
            Integer.toString(refused.status()),
            Long.toString(hour));
    database.<Integer, RuntimeException>transaction(
        sql -> {
          sql.update("DELETE FROM audit WHERE id = ?", refused.id());
          return insert(
              sql,
              INSERT + " ON CONFLICT (id) DO UPDATE SET times = audit.times + 1",
              Secrets.hash(same).substring(0, 20),
              refused);
        });
  }

  /** Stores the status, and the object of the change. */
  public void end(Entry ended) {
    database.update(
        "UPDATE audit SET owner = ?, about = ?, status = ?, detail = ? WHERE id = ?",
        ended.owner(),
        ended.about(),
        ended.status(),
        ended.detail(),
        ended.id());
  }

  /**
   * Selects entries of a list. Immutable.
   *
   * @param owner only of this user; empty for all
   * @param text in the action, the target, its object or the detail, ignoring case; empty for all
   * @param since the earliest, in milliseconds since 1970
   * @param until the latest
   * @param isRefused only refused ones
   */
  public record Filter(String owner, String text, long since, long until, boolean isRefused) {
    private String where(List<Object> values) {
      StringBuilder where = new StringBuilder("WHERE");
      if (!owner.isEmpty()) {
        where.append(" owner = ? AND");
        values.add(owner);
      }
      if (!text.isEmpty()) {
        where.append(
            " LOWER(action || ' ' || target || ' ' || about || ' ' || detail) LIKE ? ESCAPE '!'"
                + " AND");
        String escaped = text.toLowerCase(Locale.ROOT).replaceAll("([!%_])", "!$1");
        values.add("%" + escaped + "%");
      }
      where.append(isRefused ? " (status = 0 OR status >= 400) AND" : "");
      where.append(" at >= ? AND at <= ? AND");
      values.addAll(List.of(since, until));
      return where.toString();
    }
  }

  /**
   * Entries, the newest first.
   *
   * @param beforeAt the position after an entry in this order
   * @param beforeId the id of that entry
   */
  public List<Entry> list(Filter filter, long beforeAt, String beforeId, int most) {
    List<Object> values = new ArrayList<>();
    String where = filter.where(values);
    values.addAll(List.of(beforeAt, beforeAt, beforeId, most));
    return database.list(
        row ->
            new Entry(
                row.text(),
                row.number(),
                row.text(),
                row.text(),
                row.text(),
                row.text(),
                row.text(),
                row.count(),
                row.text(),
                row.number()),
        "SELECT id, at, owner, address, action, target, about, status, detail, times FROM audit "
            + where
            + " at <= ? AND (at < ? OR id < ?)"
            + " ORDER BY at DESC, id DESC LIMIT ?",
        values.toArray());
  }

  /** Removes older entries. */
  public void removeBefore(long at) {
    database.update("DELETE FROM audit WHERE at < ?", at);
  }

  /**
   * Removes the oldest entries of each user who has more than a number of them, then the oldest of
   * all. Returns their number.
   */
  public int trim(long mostOfUser, long mostOfAll) {
    return database.<Integer, RuntimeException>transaction(
        sql -> {
          int removed = 0;
          for (String owner :
              sql.list(
                  row -> row.text(),
                  "SELECT owner FROM audit GROUP BY owner HAVING COUNT(*) > ?",
                  mostOfUser)) {
            removed += trim(sql, "owner = ?", mostOfUser, owner);
          }
          return removed + trim(sql, "id <> ?", mostOfAll, "");
        });
  }

  private static int trim(Sql sql, String which, long most, String value) throws SQLException {
    return sql.update(
        "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE "
            + which
            + " ORDER BY at DESC, id DESC LIMIT 1000000000 OFFSET ?)",
        value,
        most);
  }
}
