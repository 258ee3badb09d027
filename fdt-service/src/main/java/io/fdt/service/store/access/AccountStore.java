package io.fdt.service.store.access;

import io.fdt.service.store.Database;
import io.fdt.service.store.Sql;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The users and their roles. A user without an account has the role {@link Role#USER}; the one who
 * has started the service is always {@link Role#ADMIN}. Any thread.
 */
public final class AccountStore {
  private static final String SELECT = "SELECT owner, role, issuer, subject, created FROM account ";

  private final Database database;
  private final String operator;

  /**
   * The accounts of a service.
   *
   * @param operator the user who has started it
   */
  public AccountStore(Database database, String operator) {
    this.database = database;
    this.operator = operator;
  }

  /**
   * A user.
   *
   * @param issuer the identity provider that knows the user as {@code subject}; empty for none
   * @param created milliseconds since 1970; 0 for the user who has started the service
   */
  public record Account(String owner, Role role, String issuer, String subject, long created) {}

  /** The user who has started the service, then all users that have an account, by name. */
  public List<Account> list() {
    List<Account> all = new ArrayList<>();
    all.add(new Account(operator, Role.ADMIN, "", "", 0));
    all.addAll(
        database.list(AccountStore::read, SELECT + "WHERE owner <> ? ORDER BY owner", operator));
    return all;
  }

  /**
   * Gives a user a role, which limits the user's tokens at once. From then on the role from an
   * identity provider does not count.
   *
   * @throws ServiceException INVALID for the user who has started the service
   */
  public Account setRole(String owner, Role role, long now) throws ServiceException {
    if (owner.equals(operator)) {
      throw Fault.INVALID.of("'%s' has started the service, and is its admin".formatted(owner));
    }
    return database.transaction(
        sql -> {
          sql.update(
              "INSERT INTO account (owner, role, issuer, subject, created, by_hand)"
                  + " VALUES (?, ?, '', '', ?, 1)"
                  + " ON CONFLICT (owner) DO UPDATE SET role = excluded.role, by_hand = 1",
              owner,
              role.name(),
              now);
          return find(sql, owner).orElseThrow();
        });
  }

  /**
   * The account of a user of an identity provider. The first sign-in reserves the name permanently:
   * another person with the same name is refused.
   *
   * @param name the wanted name
   * @param role from the provider; a role set by an administrator is kept
   * @throws ServiceException FORBIDDEN when the name belongs to another user
   */
  public Account signIn(String issuer, String subject, String name, Role role, long now)
      throws ServiceException {
    return database.<Account, ServiceException>transaction(
        sql -> {
          Optional<Account> known =
              sql.first(
                  AccountStore::read,
                  SELECT + "WHERE issuer = ? AND subject = ?" + sql.forUpdate(),
                  issuer,
                  subject);
          if (known.isPresent()) {
            sql.update(
                "UPDATE account SET role = ? WHERE owner = ? AND by_hand = 0",
                role.name(),
                known.get().owner());
            return find(sql, known.get().owner()).orElseThrow();
          }
          if (name.equals(operator) || find(sql, name).isPresent() || ownsAnything(sql, name)) {
            throw Fault.FORBIDDEN.of(
                "the name '%s' belongs to another user of this service; ask its administrator"
                    .formatted(name));
          }
          sql.update(
              "INSERT INTO account (owner, role, issuer, subject, created) VALUES (?, ?, ?, ?, ?)",
              name,
              role.name(),
              issuer,
              subject,
              now);
          return find(sql, name).orElseThrow();
        });
  }

  /**
   * Whether tasks, endpoints or secrets are stored under a name, which would give access to them.
   */
  private static boolean ownsAnything(Sql sql, String name) throws SQLException {
    for (String table :
        List.of("token", "endpoint", "task", "timer", "webhook", "sign_in", "email", "bookmark")) {
      if (sql.first(row -> 1, "SELECT 1 FROM " + table + " WHERE owner = ? LIMIT 1", name)
          .isPresent()) {
        return true;
      }
    }
    return false;
  }

  public Role role(String owner) {
    if (owner.equals(operator)) {
      return Role.ADMIN;
    }
    return database.transaction(sql -> find(sql, owner)).map(Account::role).orElse(Role.USER);
  }

  /** Whether this user has started the service. */
  public boolean isOperator(String owner) {
    return owner.equals(operator);
  }

  private static Optional<Account> find(Sql sql, String owner) throws SQLException {
    return sql.first(AccountStore::read, SELECT + "WHERE owner = ?", owner);
  }

  private static Account read(Sql.Row row) throws SQLException {
    return new Account(row.text(), Role.valueOf(row.text()), row.text(), row.text(), row.number());
  }
}
