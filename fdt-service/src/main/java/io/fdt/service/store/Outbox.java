package io.fdt.service.store;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Unsent notices, by e-mail or by HTTP. A notice is stored in the transaction that changes its
 * task. Times are milliseconds since 1970. Any thread.
 */
public final class Outbox {
  private static final String INSERT =
      "INSERT INTO outbox (channel, target, task, notice, detail, attempts, next_at, created)";

  private final Database database;

  public Outbox(Database database) {
    this.database = database;
  }

  /** The channel of notices. */
  public enum Channel {
    EMAIL("email WHERE code = '' AND "),
    WEBHOOK("webhook WHERE ");

    private final String targets;

    Channel(String targets) {
      this.targets = targets;
    }
  }

  /**
   * A notice to send. Immutable.
   *
   * @param target the id of an e-mail address or of a webhook
   * @param task the id of the task; empty for a confirmation
   * @param detail one line about the event
   * @param attempts so far
   */
  public record Message(
      String target, String task, Notice notice, String detail, int attempts, long created) {}

  /** Adds a notice for each subscribed target of a user, once for each task. */
  static void add(Sql sql, String owner, String task, Notice notice, String detail, long now)
      throws SQLException {
    for (Channel channel : Channel.values()) {
      sql.update(
          INSERT
              + " SELECT ?, id, ?, ?, ?, 0, 0, CAST(? AS BIGINT) FROM "
              + channel.targets
              + "owner = ? AND (',' || notify || ',') LIKE ?"
              + " ON CONFLICT (target, task, notice) DO NOTHING",
          channel.name(),
          task,
          notice.name(),
          detail,
          now,
          owner,
          "%," + notice.name() + ",%");
    }
  }

  /** Adds the mail that asks for a confirmation. */
  static void confirm(Sql sql, String email, long now) throws SQLException {
    sql.update(
        INSERT + " VALUES (?, ?, '', ?, '', 0, 0, ?)",
        Channel.EMAIL.name(),
        email,
        Notice.CONFIRM.name(),
        now);
  }

  /**
   * Takes notices that are due: no other process takes them before {@code until}. The limit for
   * each target keeps a slow one from holding up the others.
   */
  public List<Message> take(Channel channel, long now, long until, int mostOfEach, int most) {
    return database.transaction(
        sql -> {
          List<Message> taken = new ArrayList<>();
          for (Message next : due(sql, channel, now, mostOfEach, most)) {
            int changed =
                sql.update(
                    "UPDATE outbox SET next_at = ?"
                        + " WHERE target = ? AND task = ? AND notice = ? AND next_at <= ?",
                    until,
                    next.target(),
                    next.task(),
                    next.notice().name(),
                    now);
            if (changed == 1) {
              taken.add(next);
            }
          }
          return taken;
        });
  }

  private static List<Message> due(Sql sql, Channel channel, long now, int mostOfEach, int most)
      throws SQLException {
    return sql.list(
        row ->
            new Message(
                row.text(),
                row.text(),
                Notice.valueOf(row.text()),
                row.text(),
                row.count(),
                row.number()),
        "SELECT target, task, notice, detail, attempts, created FROM (SELECT target, task, notice,"
            + " detail, attempts, created, next_at, ROW_NUMBER() OVER (PARTITION BY target ORDER BY"
            + " next_at, created, task) AS place FROM outbox WHERE channel = ? AND next_at <= ?)"
            + " AS due WHERE place <= ? ORDER BY next_at, created LIMIT ?",
        channel.name(),
        now,
        mostOfEach,
        most);
  }

  /** Records a failed attempt. */
  public void failed(Message message, long nextAt) {
    database.update(
        "UPDATE outbox SET attempts = attempts + 1, next_at = ?"
            + " WHERE target = ? AND task = ? AND notice = ?",
        nextAt,
        message.target(),
        message.task(),
        message.notice().name());
  }

  /** Removes a notice that was sent or given up. */
  public void done(Message message) {
    database.update(
        "DELETE FROM outbox WHERE target = ? AND task = ? AND notice = ?",
        message.target(),
        message.task(),
        message.notice().name());
  }
}
