package io.fdt.service.store;

import io.fdt.service.value.Secrets;
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

  private final Database database;

  public AccessStore(Database database) {
    this.database = database;
  }

  /**
   * A token as it is listed.
   *
   * @param expires 0 for never
   */
  public record Token(
      String id, String owner, String label, Set<Scope> scopes, long created, long expires) {}

  /** Stores a token; the result is its secret, which nobody can find out later. */
  public String create(Token token) {
    String secret = Secrets.secret(TOKEN_PREFIX);
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "INSERT INTO token (id, owner, label, hash, scopes, created, expires)"
                    + " VALUES (?, ?, ?, ?, ?, ?, ?)",
                token.id(),
                token.owner(),
                token.label(),
                Secrets.hash(secret),
                Scope.stored(token.scopes()),
                token.created(),
                token.expires()));
    return secret;
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

  /** Revokes a token; whether there was one. */
  public boolean revoke(String id) {
    return database.<Integer, RuntimeException>transaction(
            sql -> sql.update("DELETE FROM token WHERE id = ?", id))
        > 0;
  }

  /** The user of a token. */
  public Optional<Principal> ofToken(String secret, long now) {
    return database.transaction(
        sql ->
            sql.first(
                row -> new Principal(row.getString(1), Scope.parse(row.getString(2)), false),
                "SELECT owner, scopes FROM token"
                    + " WHERE hash = ? AND (expires = 0 OR expires > ?)",
                Secrets.hash(secret),
                now));
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

  /** The user of a cookie. */
  public Optional<Principal> ofCookie(String secret, long now) {
    return database.transaction(
        sql ->
            sql.first(
                row -> new Principal(row.getString(1), Scope.parse(row.getString(2)), true),
                "SELECT owner, scopes FROM sign_in WHERE hash = ? AND expires > ?",
                Secrets.hash(secret),
                now));
  }

  /** Signs a browser out. */
  public void signOut(String secret) {
    database.<Integer, RuntimeException>transaction(
        sql -> sql.update("DELETE FROM sign_in WHERE hash = ?", Secrets.hash(secret)));
  }
}
