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
  /** Sends a message; one that cannot be sent is lost, and {@link Handler#closed} follows. */
  void send(Control message);

  /** Address of the other side, for people. */
  String peer();

  /** The same, to be compared with others. */
  InetAddress peerAddress();

  /** The address at which this end has the connection. */
  InetAddress localAddress();

  /**
   * The key that the peer has proven to have: a server always, who dials only where it shows a
   * certificate.
   */
  Optional<Fingerprint> peerKey();

  /** How long a packet and its answer take, as the system has seen; zero where it does not say. */
  Duration roundTrip();

  /** Bytes that wait to be sent; a peer that does not read makes them more. */
  long pendingBytes();

  /**
   * Waits until at most {@code most} bytes wait to be sent. Not for an event loop.
   *
   * @throws FdtException TIMEOUT when nothing was sent for as long as {@code patience}; UNREACHABLE
   *     when the connection is closed
   */
  void awaitPending(long most, Duration patience) throws FdtException, InterruptedException;

  /**
   * The peer has proven who it is: its messages may be of any length from now on, and the
   * connection is not among those any more that have to go when there are too many. On the
   * connection's event loop.
   */
  void peerIsKnown();

  /** Whether to go on reading. Messages that were read already still arrive. */
  void setReading(boolean reading);

  /** Closes the connection once what was sent before has left. Idempotent. */
  void close();

  /** What happens on a connection; called on the connection's event loop. */
  interface Handler {
    /**
     * A message has come.
     *
     * @throws FdtException to close the connection for this reason; the other side is told
     */
    void message(Control message) throws FdtException;

    /** The connection is gone. Called once; nothing follows. */
    void closed(FdtException cause);
  }
}
