package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Abort;
import io.fdt.core.wire.control.Control;

/** A failure as the message that ends a session or refuses a connection. Stateless; any thread. */
public final class AbortCoding {
  private AbortCoding() {}

  /** The message; a long text is truncated. */
  public static Control encode(FdtException cause) {
    return Control.newBuilder()
        .setAbort(
            Abort.newBuilder()
                .setCode(cause.code().wireCode())
                .setMessage(MessageText.fit(cause.getMessage())))
        .build();
  }

  /** The failure that the peer reported. */
  public static FdtException decode(Abort abort) {
    return new FdtException(
        ErrorCode.ofWireCode(abort.getCode()), MessageText.received(abort.getMessage()));
  }
}
