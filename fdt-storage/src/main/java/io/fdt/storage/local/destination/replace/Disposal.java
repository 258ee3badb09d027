package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.destination.partial.AbandonedFile;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.nio.ByteBuffer;

/**
 * How entries leave their directory, which is pinned meanwhile. Methods return 0, or a negative
 * error number. Any thread.
 */
public interface Disposal {
  /** Removes entries. */
  Disposal REMOVE =
      new Disposal() {
        @Override
        public int leaf(Directory holder, int pinned, FileName name, Attributes found) {
          return Syscalls.unlink(pinned, name);
        }

        @Override
        public int directory(Directory holder, int pinned, FileName name, Attributes found) {
          return Syscalls.rmdir(pinned, name);
        }

        @Override
        public int temporary(int pinned, FileName name) {
          long number = TemporaryName.numberIn(name.bytes());
          int result = AbandonedFile.remove(pinned, number);
          // A journal is removed with its file; one without a file is removed on its own.
          boolean isAlone = result == -Errno.ENOENT && Syscalls.statx(pinned, name) == 0;
          return isAlone ? AbandonedFile.removeJournalAlone(pinned, number) : result;
        }
      };

  /** Keeps entries, in a dry run. */
  Disposal PRETEND =
      new Disposal() {
        @Override
        public boolean changes() {
          return false;
        }

        @Override
        public int leaf(Directory holder, int pinned, FileName name, Attributes found) {
          return 0;
        }

        @Override
        public int directory(Directory holder, int pinned, FileName name, Attributes found) {
          return 0;
        }

        @Override
        public int temporary(int pinned, FileName name) {
          return AbandonedFile.examine(pinned, TemporaryName.numberIn(name.bytes()));
        }
      };

  /** Whether anything is changed. */
  default boolean changes() {
    return true;
  }

  /** Opens a directory whose content is disposed of. */
  default DirectoryListing list(Directory directory, ByteBuffer names) throws FdtException {
    try {
      return DirectoryListing.open(directory, names);
    } catch (FdtException e) {
      if (e.code() != ErrorCode.PERMISSION || !admit(directory)) {
        throw e;
      }
      return DirectoryListing.open(directory, names);
    }
  }

  /**
   * Gives this user access to an unreadable directory, if possible.
   *
   * @return whether access was gained
   */
  default boolean admit(Directory directory) throws FdtException {
    return false;
  }

  /**
   * Disposes of an entry that is not a directory.
   *
   * @param holder the directory that holds it
   * @param pinned its descriptor
   * @param found attributes of the entry
   */
  int leaf(Directory holder, int pinned, FileName name, Attributes found) throws FdtException;

  /** Disposes of an empty directory; as {@link #leaf}. */
  int directory(Directory holder, int pinned, FileName name, Attributes found) throws FdtException;

  /**
   * Removes a transfer's leftovers under a temporary name, permanently in any case.
   *
   * @return as {@link AbandonedFile#remove}
   */
  int temporary(int pinned, FileName name);
}
