package io.fdt.service.store;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * The database of the service: SQLite in a file, or PostgreSQL. One connection, used by one thread
 * at a time: transactions are short, and none sees another one half done. A connection that is lost
 * is opened again by the next transaction. Any thread.
 */
public final class Database implements AutoCloseable {
  /** How a service on PostgreSQL keeps a second one away: an advisory lock of this number. */
  private static final long LOCK_NUMBER = 54380;

  private static final String SQLITE = "jdbc:sqlite:";

  private final String url;
  private final ReentrantLock lock = new ReentrantLock(true);
  private Connection connection;
  private boolean closed;

  private Database(String url) {
    this.url = url;
  }

  /**
   * Opens a database, and brings its tables up to date.
   *
   * @param url jdbc:sqlite:FILE or jdbc:postgresql://...
   * @throws FdtException it cannot be opened, another service uses it, or a newer one has changed
   *     it
   */
  public static Database open(String url) throws FdtException {
    Database database = new Database(url);
    try {
      Flyway.configure()
          .dataSource(new OneUrl(url))
          .locations("classpath:io/fdt/service/db")
          .loggers("slf4j")
          .load()
          .migrate();
      database.connect();
      return database;
    } catch (SQLException | FlywayException e) {
      database.close();
      throw new FdtException(
          ErrorCode.IO,
          "the database %s cannot be used: %s"
              .formatted(shown(url), e.getMessage().lines().findFirst().orElse("")),
          e);
    }
  }

  /** An address without what may be a password. */
  static String shown(String url) {
    return url.replaceFirst("\\?.*", "").replaceFirst("//[^/@]*@", "//");
  }

  static Connection connect(String url) throws SQLException {
    Properties properties = new Properties();
    if (url.startsWith(SQLITE)) {
      // A reader from outside, such as a backup, does not wait; a commit is on the device.
      properties.setProperty("journal_mode", "WAL");
      properties.setProperty("synchronous", "FULL");
      properties.setProperty("busy_timeout", "10000");
      properties.setProperty("foreign_keys", "true");
    } else {
      properties.setProperty("connectTimeout", "10");
      properties.setProperty("socketTimeout", "30");
      properties.setProperty("ApplicationName", "fdt-service");
    }
    return DriverManager.getConnection(url, properties);
  }

  private void connect() throws SQLException {
    Connection opened = connect(url);
    boolean isGood = false;
    try {
      if (!url.startsWith(SQLITE)) {
        claim(opened);
      }
      opened.setAutoCommit(false);
      connection = opened;
      isGood = true;
    } finally {
      if (!isGood) {
        opened.close();
      }
    }
  }

  private static void claim(Connection opened) throws SQLException {
    try (Statement statement = opened.createStatement();
        var row = statement.executeQuery("SELECT pg_try_advisory_lock(" + LOCK_NUMBER + ")")) {
      if (!row.next() || !row.getBoolean(1)) {
        throw new SQLException("another fdt service uses it");
      }
    }
  }

  /** What is done in one transaction. */
  @FunctionalInterface
  public interface Work<T, E extends Exception> {
    T run(Sql sql) throws SQLException, E;
  }

  /**
   * Runs a transaction. It happens as a whole or not at all.
   *
   * @throws StoreException the database failed
   * @throws E what the work throws; nothing has happened then
   */
  public <T, E extends Exception> T transaction(Work<T, E> work) throws E {
    lock.lock();
    try {
      if (closed) {
        throw new StoreException("the database is closed", null);
      }
      if (connection == null) {
        connect();
      }
      boolean done = false;
      try {
        T result = work.run(new Sql(connection));
        connection.commit();
        done = true;
        return result;
      } finally {
        if (!done) {
          rollBack();
        }
      }
    } catch (SQLException e) {
      throw new StoreException("the database failed: " + e.getMessage(), e);
    } finally {
      lock.unlock();
    }
  }

  private void rollBack() {
    try {
      connection.rollback();
      if (!connection.isValid(5)) {
        drop();
      }
    } catch (SQLException e) {
      drop(); // its transaction ends with it
    }
  }

  private void drop() {
    try {
      connection.close();
    } catch (SQLException e) {
      return; // it was lost before
    } finally {
      connection = null;
    }
  }

  /** Ends the connection; a transaction that runs is waited for. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (connection != null) {
        drop();
      }
    } finally {
      lock.unlock();
    }
  }
}
