package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathStyle;
import io.fdt.core.security.OtherUsers;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.storage.MixedExports;
import io.fdt.storage.Storages;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The exports of a server, open. Thread-safe.
 *
 * @param exports as configured
 * @param roots their open directories and storages
 */
record ServedExports(List<Export> exports, ExportedStorage roots) {
  /**
   * Opens the directories.
   *
   * @param allowShared whether other users of Windows may change them
   * @throws FdtException one is not a directory, or cannot be read
   */
  static ServedExports open(List<Export> exports, boolean allowShared) throws FdtException {
    List<ExportedStorage.Root> opened = new ArrayList<>();
    for (Export export : exports) {
      boolean isDirectory = Storages.schemeOf(export.directory()).isEmpty();
      if (BytePath.STYLE == PathStyle.WINDOWS && isDirectory && !allowShared) {
        refuseShared(export.directory().toPath());
      }
      opened.add(
          new ExportedStorage.Root(
              export.name(), export.directory(), export.access() == Export.Access.READ_WRITE));
    }
    return new ServedExports(exports, MixedExports.open(opened));
  }

  /** Windows resolves names by paths only, of which another user could replace a part. */
  private static void refuseShared(Path directory) throws FdtException {
    try {
      Optional<String> other = OtherUsers.whoMayChange(directory);
      if (other.isPresent()) {
        throw new FdtException(
            ErrorCode.FORBIDDEN,
            "%s may change the export '%s', and lead clients elsewhere; run: %s, or use %s"
                .formatted(
                    other.get(),
                    directory,
                    OtherUsers.remedy(directory, "700"),
                    Setting.ALLOW_SHARED));
      }
    } catch (FdtException e) {
      throw e;
    } catch (NoSuchFileException e) {
      return; // opening it reports more
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.PERMISSION,
          "cannot read the access list of '%s': %s; use %s"
              .formatted(directory, IoReason.of(e), Setting.ALLOW_SHARED),
          e);
    }
  }

  /** Whether all exports are directories. */
  boolean areDirectories() {
    return exports.stream().allMatch(one -> Storages.schemeOf(one.directory()).isEmpty());
  }

  /** The local path of a client's path; null outside of the exported directories. */
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
        if (Storages.schemeOf(there).isPresent()) {
          return null;
        }
        for (FileName name : names.subList(named ? 1 : 0, names.size())) {
          there = there.resolve(BytePath.of(name.bytes()));
        }
        return there;
      }
    }
    return null;
  }
}
