package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.transport.DataStream;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.Control;
import java.util.concurrent.CompletableFuture;

/**
 * One end of a session: connects a session's state machine, storage and transport.
 *
 * <p>Methods are called on the session's event loop, except {@link #attach}.
 */
public interface DataPath {
  /**
   * Limits the rate. Before {@link #start}.
   *
   * @param own the limit of this end
   * @param told the limit in the request for the session: bytes per second, 0 for none
   */
  void limit(RateSource own, long told);

  /** Starts the work. Called once. */
  void start();

  /** Handles a message of the peer for this session. */
  void onControl(Control message) throws FdtException;

  /** The handler of a new data stream. Called on the stream's event loop. */
  DataStream.Handler attach(DataStream stream);

  /** Drops all data streams: unconfirmed blocks are sent again on streams attached later. */
  void dropStreams();

  /** Checks for idle streams. Called several times a second. */
  void tick(long nowNanos);

  /** Reports the reason for a stall, if this end knows it. */
  default void stalled() {}

  /** Whether this end knows that everything is done, even before the peer confirms it. */
  boolean isComplete();

  /** The figures so far. */
  Progress progress();

  /**
   * Ends the work in any state, and releases its resources. Idempotent.
   *
   * @return completes when no file is open and no temporary file is left at the destination
   */
  CompletableFuture<Void> close();
}
