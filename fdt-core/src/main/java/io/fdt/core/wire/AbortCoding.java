package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Abort;
import io.fdt.core.wire.control.Control;

/** A failure as the message that ends a session or refuses a connection. Stateless; any thread. */
public final class AbortCoding {
  private AbortCoding() {}

  /** The message; its text is cut short where it is too long. */
  public static Control encode(FdtException cause) {
    return Control.newBuilder()
        .setAbort(
            Abort.newBuilder()
                .setCode(cause.code().wireCode())
                .setMessage(MessageText.fit(cause.getMessage())))
        .build();
  }

  /** The failure that the other side has told. */
  public static FdtException decode(Abort told) {
    return new FdtException(
        ErrorCode.ofWireCode(told.getCode()), MessageText.received(told.getMessage()));
  }
}
