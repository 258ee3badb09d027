package io.fdt.service.store;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The e-mail addresses of users. Times are milliseconds since 1970. Any thread. */
public final class EmailStore {
  /** The most addresses of one user. */
  private static final int MOST = 5;

  private static final String SELECT =
      "SELECT id, owner, address, notify, code, created FROM email WHERE ";

  private final Database database;

  public EmailStore(Database database) {
    this.database = database;
  }

  /**
   * An address of a user. Immutable.
   *
   * @param kinds the kinds of mails that it gets: names separated by commas
   * @param code for its confirmation, encrypted; empty once confirmed
   */
  public record Email(
      String id, String owner, String address, String kinds, String code, long created) {
    public boolean isConfirmed() {
      return code.isEmpty();
    }
  }

  /** Stores an address, and the mail that asks for its confirmation. */
  public void add(Email email) throws ServiceException {
    database.<Void, ServiceException>transaction(
        sql -> {
          List<Email> all = list(sql, email.owner());
          if (all.stream().anyMatch(one -> one.address().equals(email.address()))) {
            throw Fault.CONFLICT.of(
                "the address " + email.address() + " is there already; remove it first");
          }
          if (all.size() >= MOST) {
            throw Fault.TOO_MANY.of("there are %d addresses; remove one first".formatted(MOST));
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
          Outbox.confirm(sql, email.id(), email.created());
          return null;
        });
  }

  /** The addresses of a user. */
  public List<Email> list(String owner) {
    return database.transaction(sql -> list(sql, owner));
  }

  private static List<Email> list(Sql sql, String owner) throws SQLException {
    return sql.list(EmailStore::read, SELECT + "owner = ? ORDER BY created, id", owner);
  }

  private static Email read(Sql.Row row) throws SQLException {
    return new Email(row.text(), row.text(), row.text(), row.text(), row.text(), row.number());
  }

  /** An address of a user. */
  public Optional<Email> find(String owner, String id) {
    return list(owner).stream().filter(one -> one.id().equals(id)).findFirst();
  }

  /** Records that an address belongs to its user. */
  public void confirm(String owner, String id) {
    database.update("UPDATE email SET code = '' WHERE id = ? AND owner = ?", id, owner);
  }

  /** Removes an address of a user, and its unsent mails. */
  public boolean remove(String owner, String id) {
    return database.<Boolean, RuntimeException>transaction(
        sql -> {
          int removed = sql.update("DELETE FROM email WHERE id = ? AND owner = ?", id, owner);
          if (removed > 0) {
            sql.update("DELETE FROM outbox WHERE target = ?", id);
          }
          return removed > 0;
        });
  }

  public Optional<Email> get(String id) {
    return database.first(EmailStore::read, SELECT + "id = ?", id);
  }
}
