package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.stripe.ToNode;
import java.util.concurrent.CompletableFuture;

/**
 * The part of a data node in one session, controlled by its front end. Confined to the loop of the
 * session, except {@link #attach}.
 */
public interface NodePart {
  /**
   * Handles a message of the front end about the session.
   *
   * @throws FdtException PROTOCOL for an invalid message, which ends the session
   */
  void onMessage(ToNode message) throws FdtException;

  /** The handler of a new data stream. Called on the stream's event loop. */
  DataStream.Handler attach(DataStream stream);

  /** Bytes on its streams so far, with headers. */
  long wireBytes();

  /**
   * Ends the work. Idempotent.
   *
   * @return completes when all resources are released
   */
  CompletableFuture<Void> close();
}
