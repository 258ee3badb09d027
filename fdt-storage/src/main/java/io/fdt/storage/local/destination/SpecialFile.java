package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;

/** Devices, sockets and FIFOs as the destination of a file, such as /dev/null. */
final class SpecialFile {
  /** The target directory of /dev/stdout and similar links. */
  private static final String OPEN_FILES = "/proc/";

  private SpecialFile() {}

  /**
   * Rejects devices, sockets and FIFOs.
   *
   * @param found the existing entry; null for none
   * @throws FdtException WRONG_KIND
   */
  static void refuse(Directory holder, FileName name, Attributes found) throws FdtException {
    if (found != null && found.kind().isEmpty()) {
      throw refusal(holder, name);
    }
  }

  private static FdtException refusal(Directory holder, FileName name) {
    return new FdtException(
        ErrorCode.WRONG_KIND,
        "'%s' is a device, socket or FIFO, which no file replaces: choose another name; - is standard output"
            .formatted(holder.pathOf(name)));
  }

  /** Rejects links to devices, sockets and FIFOs, too. */
  static void refuseBehindLinks(Directory holder, FileName name) throws FdtException {
    Attributes found = holder.find(name);
    if (found != null && found.is(EntryKind.SYMLINK)) {
      if (holder.linkTarget(name).toString().startsWith(OPEN_FILES)) {
        throw refusal(holder, name);
      }
      found = holder.findBehindLinks(name);
    }
    refuse(holder, name, found);
  }
}
