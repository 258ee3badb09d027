package io.fdt.core.session;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/** Something that a {@link SessionMachine} wants done. */
public sealed interface SessionAction {
  /** Send a message on the control connection, in order. */
  record Send(Control message) implements SessionAction {}

  /** Give a message to the transfer. */
  record Deliver(Control message) implements SessionAction {}

  /** Close the control connection, give up all data streams, and say so. */
  record Detach(FdtException cause) implements SessionAction {}

  /** Say that nothing has moved for a while. */
  record TellStalled() implements SessionAction {}

  /** Tell the other end why the session ends, if it can be told. */
  record TellPeer(FdtException cause) implements SessionAction {}

  /**
   * Close the transfer, then the control connection, and say so. The last action.
   *
   * @param failure null when the transfer came to its end
   */
  record End(FdtException failure) implements SessionAction {}
}
