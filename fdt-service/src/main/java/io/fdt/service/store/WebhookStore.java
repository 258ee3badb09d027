package io.fdt.service.store;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Webhooks, and what is still to be delivered to them. A delivery is stored in the transaction that
 * changes its task. Any thread.
 */
public final class WebhookStore {
  private static final int MOST = 20;

  private final Database database;

  public WebhookStore(Database database) {
    this.database = database;
  }

  /**
   * Where a user is told of tasks. Immutable.
   *
   * @param notices of what it is told: names with commas in between
   * @param secret encrypted
   */
  public record Webhook(
      String id, String owner, String url, String notices, String secret, long created) {}

  /**
   * Something to be delivered. Immutable.
   *
   * @param detail one line about what has happened
   * @param attempts so far
   * @param created when it happened, in milliseconds since 1970
   */
  public record Delivery(
      String task, Webhook webhook, Notice notice, String detail, int attempts, long created) {}

  /** Stores a webhook. */
  public void add(Webhook webhook) throws ServiceException {
    database.<Integer, ServiceException>transaction(
        sql -> {
          if (list(sql, webhook.owner()).size() >= MOST) {
            throw new ServiceException(
                Fault.TOO_MANY, "there are %d webhooks; remove one first".formatted(MOST));
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

  /** Has the webhooks of a user told that want it; of a task once of each notice. */
  static void tell(Sql sql, String owner, String task, Notice notice, String detail, long now)
      throws SQLException {
    sql.update(
        "INSERT INTO delivery (task, webhook, notice, detail, attempts, next_at, created)"
            + " SELECT ?, id, ?, ?, 0, 0, CAST(? AS BIGINT) FROM webhook"
            + " WHERE owner = ? AND (',' || notify || ',') LIKE ?"
            + " ON CONFLICT (task, webhook, notice) DO NOTHING",
        task,
        notice.name(),
        detail,
        now,
        owner,
        "%," + notice.name() + ",%");
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
                row.getString(5),
                row.getLong(6)),
        "SELECT id, owner, url, notify, secret, created FROM webhook WHERE owner = ?"
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
                        + " WHERE task = ? AND webhook = ? AND notice = ? AND next_at <= ?",
                    until,
                    next.task(),
                    next.webhook().id(),
                    next.notice().name(),
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
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getString(6),
                    0),
                Notice.valueOf(row.getString(7)),
                row.getString(8),
                (int) row.getLong(9),
                row.getLong(10)),
        "SELECT task, id, owner, url, notify, secret, notice, detail, attempts, created FROM"
            + " (SELECT d.task, w.id, w.owner, w.url, w.notify, w.secret, d.notice, d.detail,"
            + " d.attempts, d.created, d.next_at, ROW_NUMBER() OVER (PARTITION BY d.webhook ORDER"
            + " BY d.next_at, d.created, d.task) AS place FROM delivery d JOIN"
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
                    + " WHERE task = ? AND webhook = ? AND notice = ?",
                nextAt,
                delivery.task(),
                delivery.webhook().id(),
                delivery.notice().name()));
  }

  /** Forgets a delivery: it has arrived, or is given up. */
  public void done(Delivery delivery) {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "DELETE FROM delivery WHERE task = ? AND webhook = ? AND notice = ?",
                delivery.task(),
                delivery.webhook().id(),
                delivery.notice().name()));
  }
}
