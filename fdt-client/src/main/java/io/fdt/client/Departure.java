package io.fdt.client;

import java.util.concurrent.CompletableFuture;

/** A transfer between two servers that its client is about to leave. Any thread. */
public final class Departure {
  private final DirectedSession session;

  Departure(DirectedSession session) {
    this.session = session;
  }

  /**
   * Completes when both servers have agreed and do without the client; exceptionally, with an
   * {@link io.fdt.core.error.FdtException}, when the transfer has ended before.
   */
  public CompletableFuture<DetachedTransfer> completion() {
    return session.left();
  }

  /** Ends the transfer, unless it was left already. */
  public void cancel() {
    session.cancel();
  }
}
