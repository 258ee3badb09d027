package io.fdt.server.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/** Handles messages of one client. Confined to the event loop of the connection. */
public interface MessageHandler {
  /**
   * Handles a message.
   *
   * @throws FdtException PROTOCOL for an unexpected message
   */
  void message(Control message) throws FdtException;

  /** The failure of a client that sends a message in the wrong state. */
  static FdtException unexpected(Control message) {
    return new FdtException(
        ErrorCode.PROTOCOL, message.getBodyCase() + " is not expected at this point");
  }
}
