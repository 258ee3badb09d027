package io.fdt.service.store.access;

import io.fdt.service.store.Database;
import io.fdt.service.store.Sql;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Tokens and the sign-ins of browsers. Only hashes of secrets are stored. Times are milliseconds
 * since 1970. Any thread.
 */
public final class AccessStore {
  /** The prefix of tokens, for secret scanners. */
  public static final String TOKEN_PREFIX = "fdts_";

  /** How long the command of a home may use the token that it read before a restart. */
  private static final long GRACE_MILLIS = 60_000;

  /** The most tokens of one user. */
  private static final int MOST = 1000;

  private final Database database;
  private final String operator;

  /**
   * The tokens of a service.
   *
   * @param operator the user who has started it, with all rights
   */
  public AccessStore(Database database, String operator) {
    this.database = database;
    this.operator = operator;
  }

  /**
   * A token without its secret.
   *
   * @param expires 0 for never
   * @param parent the id of the token that created it; empty for none
   */
  public record Token(
      String id,
      String owner,
      String label,
      Set<Scope> scopes,
      long created,
      long expires,
      String parent) {
    private Token until(long end) {
      return new Token(id, owner, label, scopes, created, end, parent);
    }
  }

  /**
   * A new token.
   *
   * @param secret not stored, so it cannot be recovered
   */
  public record Made(Token token, String secret) {}

  /**
   * Stores a token, which ends with its parent.
   *
   * @throws ServiceException TOO_MANY when its user has a thousand; UNAUTHENTICATED when its parent
   *     has ended
   */
  public Made create(Token token) throws ServiceException {
    String secret = Secrets.secret(TOKEN_PREFIX);
    return database.<Made, ServiceException>transaction(
        sql -> {
          sql.update("DELETE FROM token WHERE expires > 0 AND expires <= ?", token.created());
          long count =
              sql.first(
                      row -> row.number(),
                      "SELECT COUNT(*) FROM token WHERE owner = ?",
                      token.owner())
                  .orElse(0L);
          if (count >= MOST) {
            throw Fault.TOO_MANY.of(
                "'%s' has %d tokens; revoke some".formatted(token.owner(), MOST));
          }
          Token made = token.until(end(sql, token.parent(), token.expires(), token.created()));
          insert(sql, made, secret, "");
          return new Made(made, secret);
        });
  }

  /**
   * The end of a token or sign-in: at the latest that of the token that created it.
   *
   * @param token its id, empty for none
   * @throws ServiceException UNAUTHENTICATED when the token has ended
   */
  private static long end(Sql sql, String token, long wanted, long now)
      throws SQLException, ServiceException {
    if (token.isEmpty()) {
      return wanted;
    }
    long end =
        sql.first(
                row -> row.number(),
                "SELECT expires FROM token WHERE id = ? AND (expires = 0 OR expires > ?)"
                    + sql.forUpdate(),
                token,
                now)
            .orElseThrow(
                () -> Fault.UNAUTHENTICATED.of("the token behind this was revoked or has expired"));
    return end == 0 ? wanted : wanted == 0 ? end : Math.min(wanted, end);
  }

  /**
   * Replaces the token of the command of a home. A command that has just read the previous token
   * can use it for a minute.
   */
  public String replaceOfHome(Token token, String home) {
    String secret = Secrets.secret(TOKEN_PREFIX);
    database.<Integer, RuntimeException>transaction(
        sql -> {
          sql.update("DELETE FROM token WHERE expires > 0 AND expires <= ?", token.created());
          sql.update(
              "UPDATE token SET expires = ? WHERE home = ? AND expires = 0",
              token.created() + GRACE_MILLIS,
              home);
          return insert(sql, token, secret, home);
        });
    return secret;
  }

  private static int insert(Sql sql, Token token, String secret, String home) throws SQLException {
    return sql.update(
        "INSERT INTO token (id, owner, label, hash, scopes, created, expires, home, parent)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        token.id(),
        token.owner(),
        token.label(),
        Secrets.hash(secret),
        Scope.stored(token.scopes()),
        token.created(),
        token.expires(),
        home,
        token.parent());
  }

  /** The tokens of a user that have not expired; of all users when it is empty. */
  public List<Token> list(String owner, long now) {
    return database.list(
        row ->
            new Token(
                row.text(),
                row.text(),
                row.text(),
                Scope.parse(row.text()),
                row.number(),
                row.number(),
                row.text()),
        "SELECT id, owner, label, scopes, created, expires, parent FROM token"
            + " WHERE (owner = ? OR ? = '') AND (expires = 0 OR expires > ?)"
            + " ORDER BY created, id",
        owner,
        owner,
        now);
  }

  /**
   * Revokes a token with everything created with it: tokens, their tokens, and sign-ins. Returns
   * whether it existed.
   *
   * @param owner only of this user; empty for any
   */
  public boolean revoke(String owner, String id) {
    return database.transaction(
        sql -> {
          int revoked =
              sql.update(
                  "DELETE FROM token WHERE id = ? AND (owner = ? OR ? = '')", id, owner, owner);
          if (revoked > 0) {
            removeDerived(sql, id);
          }
          return revoked > 0;
        });
  }

  /** Removes tokens and sign-ins that were created with a removed token. */
  private static void removeDerived(Sql sql, String token) throws SQLException {
    Deque<String> ended = new ArrayDeque<>(List.of(token));
    while (!ended.isEmpty()) {
      String parent = ended.pop();
      sql.update("DELETE FROM sign_in WHERE token = ?", parent);
      for (String child :
          sql.list(row -> row.text(), "SELECT id FROM token WHERE parent = ?", parent)) {
        sql.update("DELETE FROM token WHERE id = ?", child);
        ended.push(child);
      }
    }
  }

  /** The user of a token, with the rights that both the token and the user's role allow. */
  public Optional<Principal> ofToken(String secret, long now) {
    return find(
        "SELECT t.owner, t.scopes, a.role, CASE WHEN t.home = '' THEN t.id ELSE '' END"
            + " FROM token t LEFT JOIN account a ON a.owner = t.owner"
            + " WHERE t.hash = ? AND (t.expires = 0 OR t.expires > ?)",
        secret,
        now,
        false);
  }

  private Optional<Principal> find(String query, String secret, long now, boolean byCookie) {
    return database.first(
        row -> {
          String owner = row.text();
          Set<Scope> scopes = held(owner, row.text(), row.text());
          return new Principal(owner, scopes, row.text(), byCookie);
        },
        query,
        Secrets.hash(secret),
        now);
  }

  private Set<Scope> held(String owner, String scopes, String role) {
    Set<Scope> allowed =
        owner.equals(operator)
            ? Role.ADMIN.scopes()
            : role == null ? Role.USER.scopes() : Role.valueOf(role).scopes();
    Set<Scope> held = EnumSet.noneOf(Scope.class);
    held.addAll(Scope.parse(scopes));
    held.retainAll(allowed);
    return held;
  }

  /**
   * Signs a browser in; returns the value of its cookie, always a new one.
   *
   * @throws ServiceException UNAUTHENTICATED when the token used for it has ended
   */
  public String signIn(Principal user, long now, long expires) throws ServiceException {
    String secret = Secrets.secret("");
    database.<Integer, ServiceException>transaction(
        sql -> {
          sql.update("DELETE FROM sign_in WHERE expires <= ?", now);
          return sql.update(
              "INSERT INTO sign_in (hash, owner, scopes, expires, token) VALUES (?, ?, ?, ?, ?)",
              Secrets.hash(secret),
              user.owner(),
              Scope.stored(user.scopes()),
              end(sql, user.token(), expires, now),
              user.token());
        });
    return secret;
  }

  /** The user of a cookie, with the current rights of its role. */
  public Optional<Principal> ofCookie(String secret, long now) {
    return find(
        "SELECT s.owner, s.scopes, a.role, s.token FROM sign_in s LEFT JOIN account a ON a.owner ="
            + " s.owner WHERE s.hash = ? AND s.expires > ?",
        secret,
        now,
        true);
  }

  public void signOut(String secret) {
    database.update("DELETE FROM sign_in WHERE hash = ?", Secrets.hash(secret));
  }
}
