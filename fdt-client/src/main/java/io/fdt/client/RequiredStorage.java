package io.fdt.client;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Storage;
import io.fdt.storage.Storages;

/** The storages that local paths select by a scheme, as in zip://FILE. Any thread. */
public final class RequiredStorage {
  private RequiredStorage() {}

  /**
   * Loads the storage of this machine's end of a transfer.
   *
   * @throws FdtException USAGE when none is installed for a scheme, sources have several, or the
   *     destination's cannot do what is asked; INTERNAL when it is broken
   */
  public static void load(TransferRequest request) throws FdtException {
    TransferSpec spec = request.spec();
    if (request.direction() != TransferRequest.Direction.PULL) {
      Storage unused = Storages.ofSources(spec.sources());
      return;
    }
    Storage unused = Storages.of(spec.destination());
    if (isByScheme(spec.destination())) {
      Storages.checkWholeFiles(spec);
    }
  }

  /** Whether a local path selects its storage by a scheme: no server of this machine has it. */
  public static boolean isByScheme(BytePath path) {
    return Storages.schemeOf(path).isPresent();
  }
}
