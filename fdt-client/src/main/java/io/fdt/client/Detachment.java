package io.fdt.client;

import io.fdt.client.directed.DirectedSession;
import java.util.concurrent.CompletableFuture;

/** A transfer between two servers from which its client is about to detach. Any thread. */
public final class Detachment {
  private final DirectedSession session;

  Detachment(DirectedSession session) {
    this.session = session;
  }

  /**
   * Completes when both servers have agreed and no longer need the client; exceptionally, with an
   * {@link io.fdt.core.error.FdtException}, when the transfer has ended before.
   */
  public CompletableFuture<DetachedTransfer> completion() {
    return session.left();
  }

  /** Cancels the transfer, unless the client has already detached. */
  public void cancel() {
    session.cancel();
  }
}
