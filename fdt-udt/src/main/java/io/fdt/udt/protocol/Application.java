package io.fdt.udt.protocol;

import io.netty.buffer.ByteBuf;

/** The user of a connection. Called from within the methods of the connection. */
public interface Application {
  /**
   * The next bytes of the stream.
   *
   * @return how many it has taken, from the first on; the rest comes when {@link
   *     UdtConnection#deliver} is called
   */
  int deliver(ByteBuf memory, int index, int length);

  /** There is room to send again. */
  void writable();
}
