package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.transport.DataStream;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.Control;
import java.util.concurrent.CompletableFuture;

/**
 * One end of a session: joins a session's state machine, storage and transport.
 *
 * <p>Methods are called on the session's event loop, {@link #attach} excepted.
 */
public interface DataPath {
  /**
   * Limits the rate. Before {@link #start}.
   *
   * @param own what this end allows
   * @param told the limit in the request for the session: bytes per second, 0 for none
   */
  void limit(RateSource own, long told);

  /** Starts the work. Called once. */
  void start();

  /** A message of the other end that belongs to the session. */
  void onControl(Control message) throws FdtException;

  /** The handler of a new data stream. Called on the stream's event loop. */
  DataStream.Handler attach(DataStream stream);

  /** Gives up all data streams: what was on them goes again on those that are attached later. */
  void dropStreams();

  /** Looks after streams that have been quiet for long. Called several times a second. */
  void tick(long nowNanos);

  /** Nothing has moved for long: reports the reason, if this end knows it. */
  default void stalled() {}

  /** Whether everything is done, and this end knows it, although the other end has not said so. */
  boolean isComplete();

  /** The figures so far. */
  Progress progress();

  /**
   * Ends the work, in whatever state, and gives back what it holds. Idempotent.
   *
   * @return completes when nothing is held any more: no file open, nothing temporary left at the
   *     destination
   */
  CompletableFuture<Void> close();
}
