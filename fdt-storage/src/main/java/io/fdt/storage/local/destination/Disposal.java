package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryListing;
import io.fdt.storage.local.os.Errno;
import io.fdt.storage.local.os.Syscalls;
import java.nio.ByteBuffer;

/**
 * How something goes away from its directory, which is pinned meanwhile. All methods give what
 * system calls give: 0, or a negative error number. Any thread.
 */
public interface Disposal {
  /** It is gone for good. */
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
          // A journal goes with its file; one that is alone goes by itself.
          boolean isAlone = result == -Errno.ENOENT && Syscalls.statx(pinned, name) == 0;
          return isAlone ? AbandonedFile.removeJournalAlone(pinned, number) : result;
        }
      };

  /** It stays: a dry run. */
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

  /** Opens a directory of which all goes. */
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
   * Lets this user into a directory that it may not read, if that can be done.
   *
   * @return whether it was done
   */
  default boolean admit(Directory directory) throws FdtException {
    return false;
  }

  /**
   * Does away with what is no directory.
   *
   * @param holder the directory that holds it
   * @param pinned the descriptor of that
   * @param found what was seen of it
   */
  int leaf(Directory holder, int pinned, FileName name, Attributes found) throws FdtException;

  /** Does away with an empty directory; as {@link #leaf}. */
  int directory(Directory holder, int pinned, FileName name, Attributes found) throws FdtException;

  /**
   * Does away with what a transfer left under a temporary name; it is always gone for good.
   *
   * @return as {@link AbandonedFile#remove}
   */
  int temporary(int pinned, FileName name);
}
