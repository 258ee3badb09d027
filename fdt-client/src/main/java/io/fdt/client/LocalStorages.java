package io.fdt.client;

import io.fdt.core.error.FdtException;
import io.fdt.core.storage.Storage;
import io.fdt.storage.Storages;

/** The storages that local paths select by a scheme, as in zip://FILE. Any thread. */
public final class LocalStorages {
  private LocalStorages() {}

  /**
   * Loads the storage of this machine's end of a transfer.
   *
   * @throws FdtException USAGE when none is installed for a scheme, or sources have several;
   *     INTERNAL when it is broken
   */
  public static void require(TransferRequest request) throws FdtException {
    Storage unused =
        request.direction() == TransferRequest.Direction.PULL
            ? Storages.of(request.spec().destination())
            : Storages.ofSources(request.spec().sources());
  }
}
