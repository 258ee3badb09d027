package io.fdt.service.store;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/**
 * The time of the database, common to all processes, so that a machine with a wrong clock neither
 * ends tasks early nor retries too soon. Between reads, the machine's steady clock advances it. Any
 * thread.
 */
public final class DatabaseClock extends Clock {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LongSupplier ofDatabase;
  private final LongSupplier steadyNanos;

  /** Milliseconds since 1970 at the zero of the steady clock. */
  private volatile long zero;

  /**
   * A clock that reads the database at once.
   *
   * @param ofDatabase queries milliseconds since 1970
   * @param steadyNanos as {@link System#nanoTime}
   * @throws StoreException the database failed
   */
  public DatabaseClock(LongSupplier ofDatabase, LongSupplier steadyNanos) {
    this.ofDatabase = ofDatabase;
    this.steadyNanos = steadyNanos;
    look();
  }

  /** The clock of a shared database; for a private one, the clock of the machine. */
  public static Clock of(Database database, Clock machine) {
    return database.isShared() ? new DatabaseClock(database::nowMillis, System::nanoTime) : machine;
  }

  /**
   * Reads the time of the database, assumed to be that of the middle of the query.
   *
   * @throws StoreException the database failed; the clock continues as before
   */
  public void look() {
    long before = steadyNanos.getAsLong();
    long millis = ofDatabase.getAsLong();
    long middle = before + (steadyNanos.getAsLong() - before) / 2;
    zero = millis - middle / NANOS_PER_MILLI;
  }

  @Override
  public long millis() {
    return zero + steadyNanos.getAsLong() / NANOS_PER_MILLI;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("times here are milliseconds since 1970");
  }
}
