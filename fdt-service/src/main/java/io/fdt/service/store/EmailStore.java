package io.fdt.service.store;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Addresses of users, and the mails that are still to be sent. A mail about a task is stored in the
 * transaction that changes the task. Times are milliseconds since 1970. Any thread.
 */
public final class EmailStore {
  /** Addresses of one user. */
  private static final int MOST = 5;

  private final Database database;

  public EmailStore(Database database) {
    this.database = database;
  }

  /**
   * An address of a user. Immutable.
   *
   * @param kinds the kinds of mails that it gets: names with commas in between
   * @param code what confirms it, encrypted; empty once it is confirmed
   */
  public record Email(
      String id, String owner, String address, String kinds, String code, long created) {
    public boolean isConfirmed() {
      return code.isEmpty();
    }
  }

  /**
   * A mail to be sent. Immutable.
   *
   * @param task the id of the task; empty for a confirmation
   * @param detail one line about what has happened
   * @param attempts so far
   */
  public record Mail(
      Email email, String task, Notice kind, String detail, int attempts, long created) {}

  /** Stores an address, and the mail that asks for its confirmation. */
  public void add(Email email) throws ServiceException {
    database.<Integer, ServiceException>transaction(
        sql -> {
          List<Email> all = list(sql, email.owner());
          if (all.stream().anyMatch(one -> one.address().equals(email.address()))) {
            throw new ServiceException(
                Fault.CONFLICT,
                "the address " + email.address() + " is there already; remove it first");
          }
          if (all.size() >= MOST) {
            throw new ServiceException(
                Fault.TOO_MANY, "there are %d addresses; remove one first".formatted(MOST));
          }
          sql.update(
              "INSERT INTO email (id, owner, address, notify, code, created)"
                  + " VALUES (?, ?, ?, ?, ?, ?)",
              email.id(),
              email.owner(),
              email.address(),
              email.kinds(),
              email.code(),
              email.created());
          return sql.update(
              "INSERT INTO mail (email, task, kind, detail, attempts, next_at, created)"
                  + " VALUES (?, '', ?, '', 0, 0, ?)",
              email.id(),
              Notice.CONFIRM.name(),
              email.created());
        });
  }

  /** Has mails sent to the addresses of a user that want them; one of a kind for each task. */
  static void tell(Sql sql, String owner, String task, Notice kind, String detail, long now)
      throws SQLException {
    sql.update(
        "INSERT INTO mail (email, task, kind, detail, attempts, next_at, created)"
            + " SELECT id, ?, ?, ?, 0, 0, CAST(? AS BIGINT) FROM email"
            + " WHERE owner = ? AND code = '' AND (',' || notify || ',') LIKE ?"
            + " ON CONFLICT (email, task, kind) DO NOTHING",
        task,
        kind.name(),
        detail,
        now,
        owner,
        "%," + kind.name() + ",%");
  }

  /** The addresses of a user. */
  public List<Email> list(String owner) {
    return database.transaction(sql -> list(sql, owner));
  }

  private static List<Email> list(Sql sql, String owner) throws SQLException {
    return sql.list(
        row ->
            new Email(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getLong(6)),
        "SELECT id, owner, address, notify, code, created FROM email WHERE owner = ?"
            + " ORDER BY created, id",
        owner);
  }

  /** An address of a user. */
  public Optional<Email> find(String owner, String id) {
    return list(owner).stream().filter(one -> one.id().equals(id)).findFirst();
  }

  /** Notes that an address belongs to its user. */
  public void confirm(String owner, String id) {
    database.<Integer, RuntimeException>transaction(
        sql -> sql.update("UPDATE email SET code = '' WHERE id = ? AND owner = ?", id, owner));
  }

  /** Removes an address of a user, and what was still to be sent to it. */
  public boolean remove(String owner, String id) {
    return database.<Boolean, RuntimeException>transaction(
        sql -> {
          int removed = sql.update("DELETE FROM email WHERE id = ? AND owner = ?", id, owner);
          if (removed > 0) {
            sql.update("DELETE FROM mail WHERE email = ?", id);
          }
          return removed > 0;
        });
  }

  /** Takes mails that are to be sent now: until {@code until} nobody else takes them. */
  public List<Mail> take(long now, long until, int most) {
    return database.transaction(
        sql -> {
          List<Mail> taken = new ArrayList<>();
          for (Mail next : due(sql, now, most)) {
            int changed =
                sql.update(
                    "UPDATE mail SET next_at = ?"
                        + " WHERE email = ? AND task = ? AND kind = ? AND next_at <= ?",
                    until,
                    next.email().id(),
                    next.task(),
                    next.kind().name(),
                    now);
            if (changed == 1) {
              taken.add(next);
            }
          }
          return taken;
        });
  }

  private static List<Mail> due(Sql sql, long now, int most) throws SQLException {
    return sql.list(
        row ->
            new Mail(
                new Email(
                    row.getString(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    0),
                row.getString(6),
                Notice.valueOf(row.getString(7)),
                row.getString(8),
                (int) row.getLong(9),
                row.getLong(10)),
        "SELECT e.id, e.owner, e.address, e.notify, e.code, m.task, m.kind, m.detail, m.attempts,"
            + " m.created FROM mail m JOIN email e ON e.id = m.email WHERE m.next_at <= ?"
            + " ORDER BY m.next_at, m.created LIMIT ?",
        now,
        most);
  }

  /** Notes an attempt that failed. */
  public void failed(Mail mail, long nextAt) {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "UPDATE mail SET attempts = attempts + 1, next_at = ?"
                    + " WHERE email = ? AND task = ? AND kind = ?",
                nextAt,
                mail.email().id(),
                mail.task(),
                mail.kind().name()));
  }

  /** Forgets a mail: it was sent, or is given up. */
  public void done(Mail mail) {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "DELETE FROM mail WHERE email = ? AND task = ? AND kind = ?",
                mail.email().id(),
                mail.task(),
                mail.kind().name()));
  }
}
