package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;

/** Turns encoded payloads into plain ones. Confined to the event loop of one stream. */
@FunctionalInterface
public interface PayloadDecoder {
  /** The encoding of a payload that is as it is. */
  int PLAIN = 0;

  /** For a session that has agreed on no encoding. */
  PayloadDecoder NONE =
      (encoding, encoded, plain) -> {
        throw new FdtException(
            ErrorCode.PROTOCOL, "frame with encoding " + encoding + ", which is not agreed");
      };

  /**
   * Decodes one payload.
   *
   * @param encoding 1 to 255
   * @param encoded all of it; not released here
   * @param plain empty, with room for exactly the plain length: nothing more is ever written,
   *     whatever the encoded bytes say
   * @return whether {@code plain} is full and nothing was left over; otherwise the payload counts
   *     as damaged and comes again
   * @throws FdtException PROTOCOL when the session has not agreed on this encoding
   */
  boolean decode(int encoding, ByteBuf encoded, ByteBuf plain) throws FdtException;
}
