package io.fdt.service.store;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The webhooks of users. Any thread. */
public final class WebhookStore {
  private static final int MOST = 20;

  private static final String SELECT =
      "SELECT id, owner, url, notify, secret, created FROM webhook WHERE ";

  private final Database database;

  public WebhookStore(Database database) {
    this.database = database;
  }

  /**
   * An HTTP address that gets notices. Immutable.
   *
   * @param notices the kinds that it gets: names separated by commas
   * @param secret encrypted
   */
  public record Webhook(
      String id, String owner, String url, String notices, String secret, long created) {}

  public void add(Webhook webhook) throws ServiceException {
    database.<Integer, ServiceException>transaction(
        sql -> {
          if (list(sql, webhook.owner()).size() >= MOST) {
            throw Fault.TOO_MANY.of("there are %d webhooks; remove one first".formatted(MOST));
          }
          return sql.update(
              "INSERT INTO webhook (id, owner, url, notify, secret, created)"
                  + " VALUES (?, ?, ?, ?, ?, ?)",
              webhook.id(),
              webhook.owner(),
              webhook.url(),
              webhook.notices(),
              webhook.secret(),
              webhook.created());
        });
  }

  public List<Webhook> list(String owner) {
    return database.transaction(sql -> list(sql, owner));
  }

  private static List<Webhook> list(Sql sql, String owner) throws SQLException {
    return sql.list(WebhookStore::read, SELECT + "owner = ? ORDER BY created, id", owner);
  }

  public Optional<Webhook> get(String id) {
    return database.first(WebhookStore::read, SELECT + "id = ?", id);
  }

  private static Webhook read(Sql.Row row) throws SQLException {
    return new Webhook(row.text(), row.text(), row.text(), row.text(), row.text(), row.number());
  }

  /** Removes a webhook of a user, and its undelivered notices. */
  public boolean remove(String owner, String id) {
    return database.<Boolean, RuntimeException>transaction(
        sql -> {
          int removed = sql.update("DELETE FROM webhook WHERE id = ? AND owner = ?", id, owner);
          if (removed > 0) {
            sql.update("DELETE FROM outbox WHERE target = ?", id);
          }
          return removed > 0;
        });
  }
}
