package io.fdt.client.remote;

import io.fdt.core.error.FdtException;

/** A request that the server has answered with a failure; the connection stays usable. */
public final class RefusedException extends Exception {
  private static final long serialVersionUID = 1;

  private final FdtException cause;

  RefusedException(FdtException cause) {
    super(cause);
    this.cause = cause;
  }

  public FdtException cause() {
    return cause;
  }
}
