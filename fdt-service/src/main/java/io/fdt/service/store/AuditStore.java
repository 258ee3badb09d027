package io.fdt.service.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Who changed what, when and from where. An entry is written before the change, so that no change
 * is without one, and gets its status after. Any thread.
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
   * @param owner the user who asked
   * @param address from where
   * @param action the method and the route
   * @param target the path
   * @param status of HTTP; 0 when the service died before it answered
   * @param detail why it was refused; empty when it was not
   */
  public record Entry(
      String id,
      long at,
      String owner,
      String address,
      String action,
      String target,
      int status,
      String detail) {}

  /** Stores an entry. */
  public void begin(Entry entry) {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "INSERT INTO audit (id, at, owner, address, action, target, status, detail)"
                    + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                entry.id(),
                entry.at(),
                entry.owner(),
                entry.address(),
                entry.action(),
                entry.target(),
                entry.status(),
                entry.detail()));
  }

  /** Notes what came of it. */
  public void end(String id, String owner, int status, String detail) {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "UPDATE audit SET owner = ?, status = ?, detail = ? WHERE id = ?",
                owner,
                status,
                detail,
                id));
  }

  /**
   * Which entries a list has. Immutable.
   *
   * @param owner of this user; empty for all
   * @param text in the action, the target or the detail, in any case of letters; empty for all
   * @param since not before, in milliseconds since 1970
   * @param until not after
   * @param isRefused those that came to nothing only
   */
  public record Filter(String owner, String text, long since, long until, boolean isRefused) {
    private String where(List<Object> values) {
      StringBuilder where = new StringBuilder("WHERE");
      if (!owner.isEmpty()) {
        where.append(" owner = ? AND");
        values.add(owner);
      }
      if (!text.isEmpty()) {
        where.append(" LOWER(action || ' ' || target || ' ' || detail) LIKE ? ESCAPE '!' AND");
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
   * @param beforeAt only what comes after an entry in this order
   * @param beforeId the id of that entry
   */
  public List<Entry> list(Filter filter, long beforeAt, String beforeId, int most) {
    List<Object> values = new ArrayList<>();
    String where = filter.where(values);
    values.addAll(List.of(beforeAt, beforeAt, beforeId, most));
    return database.transaction(
        sql ->
            sql.list(
                row ->
                    new Entry(
                        row.getString(1),
                        row.getLong(2),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6),
                        (int) row.getLong(7),
                        row.getString(8)),
                "SELECT id, at, owner, address, action, target, status, detail FROM audit "
                    + where
                    + " at <= ? AND (at < ? OR id < ?)"
                    + " ORDER BY at DESC, id DESC LIMIT ?",
                values.toArray()));
  }

  /** Removes what is older. */
  public void removeBefore(long at) {
    database.<Integer, RuntimeException>transaction(
        sql -> sql.update("DELETE FROM audit WHERE at < ?", at));
  }
}
