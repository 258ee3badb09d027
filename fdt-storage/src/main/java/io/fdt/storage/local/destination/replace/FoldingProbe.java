package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.name.FoldedName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.Inodes;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.util.Arrays;

/**
 * Finds out whether a directory folds names: treats two spellings as one. On ext4, F2FS and NTFS
 * that is a property of each directory, which new directories inherit: the probe creates a
 * directory beneath it, and looks the name up there by other spellings. Any thread.
 */
public final class FoldingProbe {
  private final Directory directory;
  private final DirectoryScope scope;

  /** For plain letters, which most names consist of. */
  private final boolean foldsPlain;

  private FoldingProbe(Directory directory, DirectoryScope scope, boolean foldsPlain) {
    this.directory = directory;
    this.scope = scope;
    this.foldsPlain = foldsPlain;
  }

  public static FoldingProbe of(Directory directory, DirectoryScope scope) throws FdtException {
    return new FoldingProbe(directory, scope, folds(directory, scope, FileName.of("name")));
  }

  /** Whether other spellings of a name, existing or not, would be the same name. */
  public boolean foldsNew(FileName name) throws FdtException {
    return foldsPlain || (!isPlain(name) && folds(directory, scope, name));
  }

  private static boolean isPlain(FileName name) {
    byte[] bytes = name.bytes();
    byte last = bytes[bytes.length - 1];
    for (byte b : bytes) {
      if (b < 0) {
        return false;
      }
    }
    return last != '.' && last != ' ';
  }

  /** Whether other spellings find an existing name. */
  public static boolean folds(Directory directory, FileName name) throws FdtException {
    Attributes there = directory.find(name);
    if (there == null) {
      return false;
    }
    for (FileName spelling : FoldedName.spellings(name)) {
      Attributes other = found(directory, spelling);
      if (other != null && isSame(directory, there, spelling, other)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether another spelling of a name finds its entry. Where inodes are made up, each spelling may
   * have another one, but only one is a name in the directory.
   */
  private static boolean isSame(
      Directory directory, Attributes there, FileName spelling, Attributes found)
      throws FdtException {
    int pinned = directory.pin();
    try {
      if (Inodes.areTrusted(pinned)) {
        return found.isSameFile(there);
      }
    } finally {
      directory.unpin();
    }
    try (DirectoryListing names = DirectoryListing.open(directory, DirectoryListing.newBuffer())) {
      while (names.next()) {
        if (Arrays.equals(names.name(), spelling.bytes())) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * The entry of a spelling; null if there is none, or the file system does not allow such names.
   */
  private static Attributes found(Directory directory, FileName spelling) throws FdtException {
    try {
      return directory.find(spelling);
    } catch (FdtException e) {
      if (e.code() == ErrorCode.BAD_NAME) {
        return null;
      }
      throw e;
    }
  }

  private static boolean folds(Directory directory, DirectoryScope scope, FileName name)
      throws FdtException {
    return TrialDirectory.in(directory, scope, room -> foldsIn(room, name));
  }

  private static boolean foldsIn(Directory room, FileName name) throws FdtException {
    int pinned = room.pin();
    try {
      int result = TrialDirectory.create(pinned, name);
      if (result < 0) {
        throw Errno.ofName(-result, "create", room.pathOf(name));
      }
      try {
        return folds(room, name);
      } finally {
        Syscalls.unlink(pinned, name);
      }
    } finally {
      room.unpin();
    }
  }
}
