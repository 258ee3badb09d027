package io.fdt.service.store;

import io.fdt.service.value.Fault;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Tokens and the sign-ins of browsers. Only hashes of secrets are stored. Times are milliseconds
 * since 1970. Any thread.
 */
public final class AccessStore {
  /** How tokens begin, so that scanners for secrets know them. */
  public static final String TOKEN_PREFIX = "fdts_";

  /** Tokens of one user. */
  private static final int MOST = 1000;

  private final Database database;
  private final String operator;

  /**
   * The tokens of a service.
   *
   * @param operator the user who has started it, and may do everything
   */
  public AccessStore(Database database, String operator) {
    this.database = database;
    this.operator = operator;
  }

  /**
   * A token as it is listed.
   *
   * @param expires 0 for never
   */
  public record Token(
      String id, String owner, String label, Set<Scope> scopes, long created, long expires) {}

  /**
   * Stores a token; the result is its secret, which nobody can find out later.
   *
   * @throws ServiceException TOO_MANY when its user has a thousand
   */
  public String create(Token token) throws ServiceException {
    String secret = Secrets.secret(TOKEN_PREFIX);
    database.<Integer, ServiceException>transaction(
        sql -> {
          sql.update("DELETE FROM token WHERE expires > 0 AND expires <= ?", token.created());
          long count =
              sql.first(
                      row -> row.getLong(1),
                      "SELECT COUNT(*) FROM token WHERE owner = ?",
                      token.owner())
                  .orElse(0L);
          if (count >= MOST) {
            throw new ServiceException(
                Fault.TOO_MANY, "'%s' has %d tokens; revoke some".formatted(token.owner(), MOST));
          }
          return insert(sql, token, secret, "");
        });
    return secret;
  }

  /** Makes the token of the command of a home, in place of the one before. */
  public String replaceOfHome(Token token, String home) {
    String secret = Secrets.secret(TOKEN_PREFIX);
    database.<Integer, RuntimeException>transaction(
        sql -> {
          sql.update("DELETE FROM token WHERE home = ?", home);
          return insert(sql, token, secret, home);
        });
    return secret;
  }

  private static int insert(Sql sql, Token token, String secret, String home) throws SQLException {
    return sql.update(
        "INSERT INTO token (id, owner, label, hash, scopes, created, expires, home)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        token.id(),
        token.owner(),
        token.label(),
        Secrets.hash(secret),
        Scope.stored(token.scopes()),
        token.created(),
        token.expires(),
        home);
  }

  /** The tokens of a user that have not expired; of all users when it is empty. */
  public List<Token> list(String owner, long now) {
    return database.transaction(
        sql ->
            sql.list(
                row ->
                    new Token(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        Scope.parse(row.getString(4)),
                        row.getLong(5),
                        row.getLong(6)),
                "SELECT id, owner, label, scopes, created, expires FROM token"
                    + " WHERE (owner = ? OR ? = '') AND (expires = 0 OR expires > ?)"
                    + " ORDER BY created, id",
                owner,
                owner,
                now));
  }

  /**
   * Revokes a token; whether there was one.
   *
   * @param owner of this user only; empty for any
   */
  public boolean revoke(String owner, String id) {
    return database.<Integer, RuntimeException>transaction(
            sql ->
                sql.update(
                    "DELETE FROM token WHERE id = ? AND (owner = ? OR ? = '')", id, owner, owner))
        > 0;
  }

  /** The user of a token, with what both the token and the role of the user allow. */
  public Optional<Principal> ofToken(String secret, long now) {
    return find(
        "SELECT t.owner, t.scopes, a.role FROM token t LEFT JOIN account a ON a.owner = t.owner"
            + " WHERE t.hash = ? AND (t.expires = 0 OR t.expires > ?)",
        secret,
        now,
        false);
  }

  private Optional<Principal> find(String query, String secret, long now, boolean byCookie) {
    return database.transaction(
        sql ->
            sql.first(
                row -> principal(row.getString(1), row.getString(2), row.getString(3), byCookie),
                query,
                Secrets.hash(secret),
                now));
  }

  private Principal principal(String owner, String scopes, String role, boolean byCookie) {
    Set<Scope> allowed =
        owner.equals(operator)
            ? Role.ADMIN.scopes()
            : role == null ? Role.USER.scopes() : Role.valueOf(role).scopes();
    Set<Scope> held = EnumSet.noneOf(Scope.class);
    held.addAll(Scope.parse(scopes));
    held.retainAll(allowed);
    return new Principal(owner, held, byCookie);
  }

  /** Signs a browser in; the result is the value of its cookie, always a new one. */
  public String signIn(Principal user, long now, long expires) {
    String secret = Secrets.secret("");
    database.<Integer, RuntimeException>transaction(
        sql -> {
          sql.update("DELETE FROM sign_in WHERE expires <= ?", now);
          return sql.update(
              "INSERT INTO sign_in (hash, owner, scopes, expires) VALUES (?, ?, ?, ?)",
              Secrets.hash(secret),
              user.owner(),
              Scope.stored(user.scopes()),
              expires);
        });
    return secret;
  }

  /** The user of a cookie, with what its role allows now. */
  public Optional<Principal> ofCookie(String secret, long now) {
    return find(
        "SELECT s.owner, s.scopes, a.role FROM sign_in s LEFT JOIN account a ON a.owner = s.owner"
            + " WHERE s.hash = ? AND s.expires > ?",
        secret,
        now,
        true);
  }

  /** Signs a browser out. */
  public void signOut(String secret) {
    database.<Integer, RuntimeException>transaction(
        sql -> sql.update("DELETE FROM sign_in WHERE hash = ?", Secrets.hash(secret)));
  }
}
