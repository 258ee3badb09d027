package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.wire.control.Control;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * A connection for control messages. Methods may be called on any thread; messages keep their
 * order.
 */
public interface ControlConnection {
  /** Sends a message; if that fails, the message is lost and {@link Handler#closed} follows. */
  void send(Control message);

  /** Address of the peer, for messages. */
  String peer();

  /** Address of the peer, for comparison. */
  InetAddress peerAddress();

  /** The local address of the connection. */
  InetAddress localAddress();

  /**
   * The key that the peer has proven to hold: always for a server, for a client only if it has a
   * certificate.
   */
  Optional<Fingerprint> peerKey();

  /** Round-trip time as measured by the system; zero when unknown. */
  Duration roundTrip();

  /** Bytes waiting to be sent; grows when the peer does not read. */
  long pendingBytes();

  /**
   * Waits until at most {@code most} bytes wait to be sent. Not for an event loop.
   *
   * @throws FdtException TIMEOUT when nothing was sent for {@code patience}; UNREACHABLE when the
   *     connection is closed
   */
  void awaitPending(long most, Duration patience) throws FdtException, InterruptedException;

  /**
   * The peer is authenticated: lifts the limit on the length of its messages, and exempts the
   * connection from eviction. On the connection's event loop.
   */
  void peerIsKnown();

  /** Pauses or resumes reading. Messages that were already read still arrive. */
  void setReading(boolean reading);

  /** Closes the connection after pending messages are sent. Idempotent. */
  void close();

  /** Receives events, on the connection's event loop. */
  interface Handler {
    /**
     * Handles a message.
     *
     * @throws FdtException to close the connection for this reason, which is sent to the peer
     */
    void message(Control message) throws FdtException;

    /** The connection is closed. Called once, last. */
    void closed(FdtException cause);
  }
}
