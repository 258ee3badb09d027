package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.posix.Errno;

/** Disposes in read-only directories of this user, too. Threads as the wrapped disposal. */
public final class AdmittingDisposal implements Disposal {
  private final Disposal disposal;
  private final WidenedModes modes;

  public AdmittingDisposal(Disposal disposal, WidenedModes modes) {
    this.disposal = disposal;
    this.modes = modes;
  }

  @Override
  public boolean changes() {
    return disposal.changes();
  }

  @Override
  public boolean admit(Directory directory) throws FdtException {
    return modes.widen(directory);
  }

  @Override
  public int leaf(Directory holder, int pinned, FileName name, Attributes found)
      throws FdtException {
    int result = disposal.leaf(holder, pinned, name, found);
    return result == -Errno.EACCES && admit(holder)
        ? disposal.leaf(holder, pinned, name, found)
        : result;
  }

  @Override
  public int directory(Directory holder, int pinned, FileName name, Attributes found)
      throws FdtException {
    int result = disposal.directory(holder, pinned, name, found);
    return result == -Errno.EACCES && admit(holder)
        ? disposal.directory(holder, pinned, name, found)
        : result;
  }

  @Override
  public int temporary(int pinned, FileName name) {
    return disposal.temporary(pinned, name);
  }
}
