package io.fdt.service.store;

import java.util.List;

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
   * Entries, the newest first.
   *
   * @param owner of this user; empty for all
   * @param beforeAt only what comes after an entry in this order
   * @param beforeId the id of that entry
   */
  public List<Entry> list(String owner, long beforeAt, String beforeId, int most) {
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
                "SELECT id, at, owner, address, action, target, status, detail FROM audit"
                    + " WHERE (? = '' OR owner = ?) AND (at < ? OR (at = ? AND id < ?))"
                    + " ORDER BY at DESC, id DESC LIMIT ?",
                owner,
                owner,
                beforeAt,
                beforeAt,
                beforeId,
                most));
  }

  /** Removes what is older. */
  public void removeBefore(long at) {
    database.<Integer, RuntimeException>transaction(
        sql -> sql.update("DELETE FROM audit WHERE at < ?", at));
  }
}
