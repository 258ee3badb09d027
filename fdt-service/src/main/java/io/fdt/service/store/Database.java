package io.fdt.service.store;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database of the service: SQLite in a file, or PostgreSQL, which several processes may share.
 * One connection, used by one thread at a time: transactions are short. Row locks ({@link
 * Sql#forUpdate}) separate transactions of other processes; a colliding transaction is repeated. A
 * lost connection is reopened, and the transaction repeated unless it was being committed. Any
 * thread.
 */
public final class Database implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Database.class);

  /** The pause between attempts to connect while the database is unavailable. */
  private static final long RECONNECT_NANOS = 1_000_000_000L;

  /** Unique key, serialization failure, deadlock: a repetition sees the other transaction. */
  private static final Set<String> COLLISIONS = Set.of("23505", "40001", "40P01");

  /** The database counts as back after this time without failures. */
  private static final long STEADY_NANOS = 5_000_000_000L;

  private static final int MOST_COLLISIONS = 10;

  private static final String SQLITE = "jdbc:sqlite:";

  private static final int SQLITE_IOERR = 10;
  private static final int SQLITE_FULL = 13;

  /** PostgreSQL's disk_full. */
  private static final String FULL_STATE = "53100";

  private static final long LEAST_ROOM = 64 << 10;

  private static final String FULL = "its disk is full; free some space";

  private final String url;
  private final ReentrantLock lock = new ReentrantLock(true);
  private Connection connection;
  private SQLException unreachable;
  private long unreachableNanos;
  private boolean committing;
  private boolean writing;
  private boolean closed;
  private Outage outage;
  private final AtomicLong failures = new AtomicLong();

  /** A period of failures, logged at its start and at its end. */
  private static final class Outage {
    final boolean isOfWriting;
    final long sinceNanos = System.nanoTime();
    long lastNanos;
    long failures;

    Outage(boolean isOfWriting) {
      this.isOfWriting = isOfWriting;
    }
  }

  private Database(String url) {
    this.url = url;
  }

  /**
   * Opens a database, and brings its tables up to date.
   *
   * @param url jdbc:sqlite:FILE or jdbc:postgresql://...
   * @throws FdtException it cannot be opened, or a newer service has changed it
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
          database.isFull(e) ? ErrorCode.STORAGE_FULL : ErrorCode.IO,
          "the database %s cannot be used: %s"
              .formatted(
                  shown(url),
                  database.isFull(e) ? FULL : e.getMessage().lines().findFirst().orElse("")),
          e);
    }
  }

  private boolean isFull(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException failure
          && (FULL_STATE.equals(failure.getSQLState())
              || failure.getErrorCode() == SQLITE_FULL
              // For example when a file beside the database cannot grow.
              || (failure.getErrorCode() == SQLITE_IOERR && hasNoRoom()))) {
        return true;
      }
    }
    return false;
  }

  private boolean hasNoRoom() {
    try {
      return file(url).isPresent()
          && Files.getFileStore(file(url).get()).getUsableSpace() < LEAST_ROOM;
    } catch (IOException e) {
      return false;
    }
  }

  /** An address without a password. */
  public static String shown(String url) {
    return url.replaceFirst("\\?.*", "").replaceFirst("//[^/@]*@", "//");
  }

  static Connection connect(String url) throws SQLException {
    Properties properties = new Properties();
    if (url.startsWith(SQLITE)) {
      // External readers, such as a backup, do not wait; a commit is durable.
      properties.setProperty("journal_mode", "WAL");
      properties.setProperty("synchronous", "FULL");
      properties.setProperty("busy_timeout", "10000");
      properties.setProperty("foreign_keys", "true");
    } else {
      properties.setProperty("connectTimeout", "10");
      properties.setProperty("socketTimeout", "30");
      properties.setProperty("ApplicationName", "fdt-service");
      // A process suspended in a transaction loses its locks soon.
      properties.setProperty(
          "options", "-c idle_in_transaction_session_timeout=10s -c lock_timeout=20s");
    }
    return DriverManager.getConnection(url, properties);
  }

  private void connect() throws SQLException {
    if (unreachable != null && System.nanoTime() - unreachableNanos < RECONNECT_NANOS) {
      throw unreachable;
    }
    try {
      Connection opened = connect(url);
      opened.setAutoCommit(false);
      connection = opened;
      unreachable = null;
    } catch (SQLException e) {
      unreachable = e;
      unreachableNanos = System.nanoTime();
      throw e;
    }
  }

  /** Whether other processes of the service may use it at the same time. */
  public boolean isShared() {
    return !url.startsWith(SQLITE);
  }

  /** The time of the database, in milliseconds since 1970. */
  long nowMillis() {
    return transaction(sql -> sql.first(row -> row.number(), "SELECT " + sql.now()).orElseThrow());
  }

  /** The file of the database; empty when it is not in a file of this machine. */
  public static Optional<Path> file(String url) {
    return url.startsWith(SQLITE)
        ? Optional.of(Path.of(url.substring(SQLITE.length()).replaceFirst("\\?.*", "")))
        : Optional.empty();
  }

  @FunctionalInterface
  public interface Work<T, E extends Exception> {
    T run(Sql sql) throws SQLException, E;
  }

  /**
   * Runs a transaction. It is atomic.
   *
   * @throws StoreException the database failed
   * @throws E of the work; then the transaction is rolled back
   */
  public <T, E extends Exception> T transaction(Work<T, E> work) throws E {
    if (lock.isHeldByCurrentThread()) {
      // The inner commit would end the outer transaction and release its locks.
      throw new IllegalStateException("a transaction within a transaction");
    }
    lock.lock();
    try {
      boolean wasLost = false;
      for (int collisions = 0; ; ) {
        try {
          T result = once(work);
          succeeded();
          return result;
        } catch (SQLException e) {
          if (isShared() && collides(e) && collisions < MOST_COLLISIONS) {
            collisions++;
          } else if (isLost(e) && !wasLost && !committing) {
            wasLost = true; // nothing has happened: the database was restarted in between
          } else {
            throw e;
          }
        }
      }
    } catch (SQLException e) {
      throw failed(e);
    } finally {
      lock.unlock();
    }
  }

  /** Runs one statement in a transaction; returns the number of changed rows. */
  public int update(String statement, Object... values) {
    return this.<Integer, RuntimeException>transaction(sql -> sql.update(statement, values));
  }

  public <T> List<T> list(Sql.RowReader<T> reader, String query, Object... values) {
    return transaction(sql -> sql.list(reader, query, values));
  }

  public <T> Optional<T> first(Sql.RowReader<T> reader, String query, Object... values) {
    return transaction(sql -> sql.first(reader, query, values));
  }

  private StoreException failed(SQLException e) {
    String reason = isFull(e) ? FULL : isLost(e) ? "it cannot be reached" : "it failed";
    if (outage == null) {
      outage = new Outage(writing);
      LOG.warn("the database is away: {} reason={}", reason, oneLine(e));
    }
    outage.failures++;
    outage.lastNanos = System.nanoTime();
    failures.incrementAndGet();
    return new StoreException("the database is away: " + reason, e);
  }

  private static String oneLine(SQLException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  /**
   * Records a success. On a full disk, reads and occasional small writes succeed: only writes over
   * some time show that there is space.
   */
  private void succeeded() {
    if (outage != null
        && (writing || !outage.isOfWriting)
        && System.nanoTime() - outage.lastNanos > STEADY_NANOS) {
      LOG.warn(
          "the database is back after {} s; {} transactions have failed",
          TimeUnit.NANOSECONDS.toSeconds(outage.lastNanos - outage.sinceNanos),
          outage.failures);
      outage = null;
    }
  }

  /** The number of failed transactions. */
  public long failures() {
    return failures.get();
  }

  private static boolean collides(SQLException e) {
    return e.getSQLState() != null && COLLISIONS.contains(e.getSQLState());
  }

  /** The connection has ended, or the server is about to. */
  private static boolean isLost(SQLException e) {
    return e.getSQLState() != null
        && (e.getSQLState().startsWith("08") || e.getSQLState().startsWith("57P"));
  }

  private <T, E extends Exception> T once(Work<T, E> work) throws SQLException, E {
    if (closed) {
      throw new StoreException("the database is closed", null);
    }
    committing = false;
    writing = false;
    if (connection == null) {
      connect();
    }
    boolean done = false;
    Sql sql = new Sql(connection, isShared());
    try {
      T result = work.run(sql);
      committing = true; // from here on the outcome is unknown
      connection.commit();
      done = true;
      return result;
    } finally {
      writing = sql.writes();
      if (!done) {
        rollBack();
      }
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

  /** Closes the connection, after a running transaction. Idempotent. */
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
