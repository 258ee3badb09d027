package io.fdt.server;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.storage.local.LocalExports;
import java.util.ArrayList;
import java.util.List;

/**
 * The directories that a server exposes, open. Thread-safe.
 *
 * @param exports as configured
 * @param roots their open directories
 */
record ServedExports(List<Export> exports, ExportedStorage roots) {
  /**
   * Opens the directories.
   *
   * @throws FdtException one is not a directory, or cannot be read
   */
  static ServedExports open(List<Export> exports) throws FdtException {
    List<ExportedStorage.Root> opened = new ArrayList<>();
    for (Export export : exports) {
      opened.add(
          new ExportedStorage.Root(
              export.name(), export.directory(), export.access() == Export.Access.READ_WRITE));
    }
    return new ServedExports(exports, LocalExports.open(opened));
  }

  /** The local path of a client's path; null outside of the exports. */
  BytePath onThisMachine(BytePath path) {
    List<FileName> names;
    try {
      names = path.names();
    } catch (IllegalArgumentException e) {
      return null;
    }
    for (Export export : exports) {
      boolean named = export.name() != null;
      if (!named || (!names.isEmpty() && names.get(0).equals(export.name()))) {
        BytePath there = export.directory();
        for (FileName name : names.subList(named ? 1 : 0, names.size())) {
          there = there.resolve(BytePath.of(name.bytes()));
        }
        return there;
      }
    }
    return null;
  }
}
