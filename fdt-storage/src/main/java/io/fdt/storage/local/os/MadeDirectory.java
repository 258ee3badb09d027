package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.storage.posix.Errno;

/**
 * A directory of a destination.
 *
 * @param isFresh whether this transfer created it
 */
public record MadeDirectory(Directory directory, boolean isFresh) {
  /**
   * The directory of this name, created when missing.
   *
   * @param mode of a new one, before the mask of the process
   * @throws FdtException WRONG_KIND for another kind of entry, such as a link
   */
  public static MadeDirectory make(Directory parent, DirectoryScope scope, FileName name, int mode)
      throws FdtException {
    int pinned = parent.pin();
    int result;
    try {
      result = Syscalls.mkdir(pinned, name, mode);
    } finally {
      parent.unpin();
    }
    if (result < 0 && result != -Errno.EEXIST) {
      throw Errno.ofName(-result, "make the directory", parent.pathOf(name));
    }
    try {
      return new MadeDirectory(parent.child(scope, name), result == 0);
    } catch (FdtException e) {
      throw e.code() == ErrorCode.WRONG_KIND ? notADirectory(parent.pathOf(name)) : e;
    }
  }

  public static FdtException notADirectory(String path) {
    return new FdtException(
        ErrorCode.WRONG_KIND,
        "a directory is needed at '" + path + "', but a file or link is there; move it away");
  }
}
