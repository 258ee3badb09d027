package io.fdt.service.store;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Webhooks, and what is still to be delivered to them. A delivery is stored in the transaction that
 * ends its task. Any thread.
 */
public final class WebhookStore {
  private static final int MOST = 20;

  private final Database database;

  public WebhookStore(Database database) {
    this.database = database;
  }

  /**
   * Where a user is told of the ends of tasks. Immutable.
   *
   * @param secret encrypted
   */
  public record Webhook(String id, String owner, String url, String secret, long created) {}

  /**
   * Something to be delivered. Immutable.
   *
   * @param attempts so far
   * @param created when the task ended, in milliseconds since 1970
   */
  public record Delivery(String task, Webhook webhook, int attempts, long created) {}

  /** Stores a webhook. */
  public void add(Webhook webhook) throws ServiceException {
    database.<Integer, ServiceException>transaction(
        sql -> {
          if (list(sql, webhook.owner()).size() >= MOST) {
            throw new ServiceException(
                Fault.TOO_MANY, "there are %d webhooks; remove one first".formatted(MOST));
          }
          return sql.update(
              "INSERT INTO webhook (id, owner, url, secret, created) VALUES (?, ?, ?, ?, ?)",
              webhook.id(),
              webhook.owner(),
              webhook.url(),
              webhook.secret(),
              webhook.created());
        });
  }

  /** The webhooks of a user. */
  public List<Webhook> list(String owner) {
    return database.transaction(sql -> list(sql, owner));
  }

  private static List<Webhook> list(Sql sql, String owner) throws SQLException {
    return sql.list(
        row ->
            new Webhook(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getLong(5)),
        "SELECT id, owner, url, secret, created FROM webhook WHERE owner = ?"
            + " ORDER BY created, id",
        owner);
  }

  /** Removes a webhook of a user, and what was still to be delivered to it. */
  public boolean remove(String owner, String id) {
    return database.<Boolean, RuntimeException>transaction(
        sql -> {
          int removed = sql.update("DELETE FROM webhook WHERE id = ? AND owner = ?", id, owner);
          if (removed > 0) {
            sql.update("DELETE FROM delivery WHERE webhook = ?", id);
          }
          return removed > 0;
        });
  }

  /**
   * Takes what is to be delivered now: until {@code until} nobody else takes it. Of each webhook a
   * few at most, so that a receiver that is slow does not hold those of others.
   */
  public List<Delivery> take(long now, long until, int mostOfEach, int most) {
    return database.transaction(
        sql -> {
          List<Delivery> taken = new ArrayList<>();
          for (Delivery next : due(sql, now, mostOfEach, most)) {
            int changed =
                sql.update(
                    "UPDATE delivery SET next_at = ?"
                        + " WHERE task = ? AND webhook = ? AND next_at <= ?",
                    until,
                    next.task(),
                    next.webhook().id(),
                    now);
            if (changed == 1) {
              taken.add(next);
            }
          }
          return taken;
        });
  }

  private static List<Delivery> due(Sql sql, long now, int mostOfEach, int most)
      throws SQLException {
    return sql.list(
        row ->
            new Delivery(
                row.getString(1),
                new Webhook(
                    row.getString(2), row.getString(3), row.getString(4), row.getString(5), 0),
                (int) row.getLong(6),
                row.getLong(7)),
        "SELECT task, id, owner, url, secret, attempts, created FROM (SELECT d.task, w.id,"
            + " w.owner, w.url, w.secret, d.attempts, d.created, d.next_at, ROW_NUMBER() OVER"
            + " (PARTITION BY d.webhook ORDER BY d.next_at, d.task) AS place FROM delivery d JOIN"
            + " webhook w ON w.id = d.webhook WHERE d.next_at <= ?) AS due WHERE place <= ?"
            + " ORDER BY next_at LIMIT ?",
        now,
        mostOfEach,
        most);
  }

  /** Notes an attempt that failed. */
  public void failed(Delivery delivery, long nextAt) {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "UPDATE delivery SET attempts = attempts + 1, next_at = ?"
                    + " WHERE task = ? AND webhook = ?",
                nextAt,
                delivery.task(),
                delivery.webhook().id()));
  }

  /** Forgets a delivery: it has arrived, or is given up. */
  public void done(Delivery delivery) {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "DELETE FROM delivery WHERE task = ? AND webhook = ?",
                delivery.task(),
                delivery.webhook().id()));
  }
}
