package io.fdt.core.wire;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/** What takes the messages of one control connection, in order, on the thread that feeds them. */
@FunctionalInterface
public interface ControlSink {
  /**
   * Takes one message.
   *
   * @throws FdtException when the connection cannot go on; it comes out of the decoder's feed
   */
  void message(Control message) throws FdtException;
}
