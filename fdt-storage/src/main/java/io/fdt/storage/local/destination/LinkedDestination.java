package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.LinkFollower;

/**
 * Resolves a destination in an export that is a link to a directory, as for the local user. Pure
 * functions on directories.
 */
final class LinkedDestination {
  private LinkedDestination() {}

  /**
   * The directory that a link leads to, resolved name by name within the export.
   *
   * @param start of the client's path
   * @param found the entry at the last name of the path; null for none
   * @return null unless it is a link to a directory
   * @throws FdtException WRONG_KIND for a link that leads out of the export
   */
  static Directory directory(
      DirectoryScope scope,
      ExportedRoots.Start start,
      Directory holder,
      FileName name,
      Attributes found)
      throws FdtException {
    if (found == null || !found.is(EntryKind.SYMLINK)) {
      return null;
    }
    try {
      LinkFollower.Target target = new LinkFollower(scope, null).follow(holder, name);
      if (!target.isDirectory()) {
        return null;
      }
      if (!start.isPart()) {
        return target.directory();
      }
    } catch (FdtException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return null;
      }
      if (e.code() != ErrorCode.FORBIDDEN) {
        throw e;
      }
    }
    throw new FdtException(
        ErrorCode.WRONG_KIND,
        "'%s' is a link that leads out of its export: remove it, or choose another destination"
            .formatted(holder.pathOf(name)));
  }
}
