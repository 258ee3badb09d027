package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;

/** Decodes encoded payloads. Confined to the event loop of one stream. */
@FunctionalInterface
public interface PayloadDecoder {
  /** The encoding of a plain payload. */
  int PLAIN = 0;

  /** Accepts no encoding. */
  PayloadDecoder NONE =
      (encoding, encoded, plain) -> {
        throw new FdtException(
            ErrorCode.PROTOCOL, "frame with encoding=" + encoding + ", none was agreed");
      };

  /**
   * Decodes one payload.
   *
   * @param encoding 1 to 255
   * @param encoded all of it; not released here
   * @param plain empty, with room for exactly the plain length, beyond which nothing is written
   *     whatever the encoded bytes are
   * @return whether {@code plain} is full and no input is left; otherwise the payload counts as
   *     damaged and is sent again
   * @throws FdtException PROTOCOL when the session has not agreed on this encoding
   */
  boolean decode(int encoding, ByteBuf encoded, ByteBuf plain) throws FdtException;
}
