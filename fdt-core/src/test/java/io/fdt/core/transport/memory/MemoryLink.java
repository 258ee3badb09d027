package io.fdt.core.transport.memory;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.security.Fingerprint;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A connection between two ends: two pipes that close together. Thread-safe.
 *
 * <pre>
 *   dialer  -- up ----->  listener
 *           <---- down --
 * </pre>
 */
final class MemoryLink {
  private final MemoryListener listener;
  private final Optional<ErrorCode> refusal;
  private final Optional<Fingerprint> dialerKey;
  private final End dialer;
  private final End acceptor;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /** One of the two ends, as that end sees the connection. */
  record End(
      MemoryLink link, EventLoop loop, MemoryPipe in, MemoryPipe out, InetSocketAddress peer) {
    /** The address of the other end, for people. */
    String peerText() {
      return peer.getAddress().getHostAddress() + ":" + peer.getPort();
    }

    /**
     * Runs this on the loop of this end when the connection has closed; also when it has already.
     */
    void whenClosed(Runnable then) {
      link.whenClosed(() -> Tasks.run(loop, then));
    }
  }

  /**
   * @param dialed the address of the listener, as the dialer knows it
   * @param dialerKey what the dialer has proven to have
   * @param refusal why the listener does not take it
   */
  MemoryLink(
      EventLoop dialerLoop,
      InetSocketAddress dialerAddress,
      InetSocketAddress dialed,
      Optional<Fingerprint> dialerKey,
      MemoryListener listener,
      EventLoop listenerLoop,
      Optional<ErrorCode> refusal) {
    MemoryPipe up = new MemoryPipe(dialerLoop, listenerLoop);
    MemoryPipe down = new MemoryPipe(listenerLoop, dialerLoop);
    this.listener = listener;
    this.refusal = refusal;
    this.dialerKey = dialerKey;
    this.dialer = new End(this, dialerLoop, down, up, dialed);
    this.acceptor = new End(this, listenerLoop, up, down, dialerAddress);
    up.setReading(true);
    down.setReading(true);
  }

  MemoryListener listener() {
    return listener;
  }

  Optional<Fingerprint> dialerKey() {
    return dialerKey;
  }

  Optional<ErrorCode> refusal() {
    return refusal;
  }

  End dialer() {
    return dialer;
  }

  End acceptor() {
    return acceptor;
  }

  boolean isClosed() {
    return closed.isDone();
  }

  /** Closes both directions at once; what was not read is dropped. Idempotent. */
  void close() {
    dialer.out.close();
    acceptor.out.close();
    closed.complete(null);
  }

  /** Runs this when the connection closes, on the thread that closes it. */
  void whenClosed(Runnable then) {
    closed.thenRun(then);
  }
}
