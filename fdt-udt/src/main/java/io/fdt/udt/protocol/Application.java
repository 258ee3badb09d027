package io.fdt.udt.protocol;

import io.netty.buffer.ByteBuf;

/** The user of a connection. Called from within the methods of the connection. */
public interface Application {
  /**
   * Delivers the next bytes of the stream.
   *
   * @return the number of bytes taken from the start; the rest is delivered again by {@link
   *     UdtConnection#deliver}
   */
  int deliver(ByteBuf memory, int index, int length);

  /** The connection can take bytes to send again. */
  void writable();
}
