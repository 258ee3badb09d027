package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;
import java.net.InetAddress;

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

  /** Bytes that wait to be sent; a peer that does not read makes them more. */
  long pendingBytes();

  /**
   * Takes messages of any length from now on; a peer that nobody knows yet may send short ones
   * only. On the connection's event loop.
   */
  void acceptLongMessages();

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
