package io.fdt.core.wire;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;

/**
 * Receives the messages of one control connection, in order, on the thread that feeds the decoder.
 */
@FunctionalInterface
public interface ControlSink {
  /**
   * Handles one message.
   *
   * @throws FdtException ends the connection; {@link ControlDecoder#feed} rethrows it
   */
  void message(Control message) throws FdtException;
}
