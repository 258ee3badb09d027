package io.fdt.core.wire;

import io.fdt.core.error.FdtException;

/** What takes the frames of one stream, in their order, on the thread that feeds the decoder. */
@FunctionalInterface
public interface FrameSink {
  /**
   * Takes over a frame: it is the sink's to release, even when this method throws.
   *
   * @throws FdtException when the stream cannot go on; it comes out of the decoder's feed
   */
  void frame(ReceivedFrame frame) throws FdtException;
}
