package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.FileName;
import io.fdt.core.manifest.Timestamp;
import io.netty.buffer.ByteBuf;

/**
 * Writes small files that have no name until they are whole (O_TMPFILE): no other process sees one
 * before, a lock is not needed, and nothing is left of one when this process dies. Any thread.
 *
 * <p>Where anything is in the way, the kernel's or file system's lack of such files too, nothing
 * has happened, and the file is to be written under a temporary name; that tells what it was.
 */
final class NamelessFiles {
  private static final int CREATE = Posix.O_TMPFILE | Posix.O_RDWR;

  private volatile boolean unsupported;

  /**
   * Gives all bytes of a file a name that nothing has.
   *
   * @param modified null when its time stays as it is
   * @return whether that was done
   */
  boolean put(Directory directory, FileName name, ByteBuf bytes, int mode, Timestamp modified)
      throws FdtException {
    if (unsupported) {
      return false;
    }
    int pinned = directory.pin();
    try {
      int descriptor = Kernel.open(pinned, Kernel.ITSELF, CREATE, TemporaryName.MODE);
      if (descriptor < 0) {
        unsupported = descriptor == -Errno.EOPNOTSUPP || descriptor == -Errno.EISDIR;
        return false;
      }
      OpenFile file = new OpenFile(descriptor, () -> directory.pathOf(name));
      boolean isNamed = false;
      try {
        file.write(bytes, 0);
        isNamed =
            Kernel.chmod(descriptor, mode) >= 0
                && (modified == null || Kernel.setModified(descriptor, modified) >= 0)
                && link(descriptor, pinned, name);
      } catch (FdtException e) {
        return false;
      } finally {
        int closed = file.closeNow();
        if (isNamed && closed < 0 && closed != -Errno.EINTR) {
          Kernel.unlink(pinned, name);
          isNamed = false;
        }
      }
      return isNamed;
    } finally {
      directory.unpin();
    }
  }

  /** Another one than that something has the name would come back for each file. */
  private boolean link(int descriptor, int directory, FileName name) {
    int result = Kernel.link(descriptor, directory, name);
    unsupported |= result < 0 && result != -Errno.EEXIST;
    return result >= 0;
  }
}
