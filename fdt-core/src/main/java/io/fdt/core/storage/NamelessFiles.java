package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.FileName;
import io.fdt.core.manifest.Timestamp;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes small files that have no name until they are whole (O_TMPFILE): no other process sees one
 * before, a lock is not needed, and nothing is left of one when this process dies. Any thread.
 *
 * <p>Where anything is in the way, the kernel's or file system's lack of such files too, nothing
 * has happened, and the file is to be written under a temporary name; that tells what it was.
 */
final class NamelessFiles {
  private static final int CREATE = Posix.O_TMPFILE | Posix.O_RDWR;

  /** Names in a row that could not be given, for whatever reason but that they were taken. */
  private static final int MOST_FAILURES = 3;

  private final AtomicInteger failures = new AtomicInteger();
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
      boolean isNamed = false;
      try {
        isNamed =
            OpenFile.write(descriptor, bytes, 0) >= 0
                && Kernel.chmod(descriptor, mode) >= 0
                && (modified == null || Kernel.setModified(descriptor, modified) >= 0)
                && !directory.scope().isClosed()
                && link(descriptor, pinned, name);
      } finally {
        int closed = Kernel.close(descriptor);
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

  /** What fails again and again would have each file written twice. */
  private boolean link(int descriptor, int directory, FileName name) {
    int result = Kernel.link(descriptor, directory, name);
    if (result >= 0) {
      failures.set(0);
    } else if (result != -Errno.EEXIST && failures.incrementAndGet() >= MOST_FAILURES) {
      unsupported = true;
    }
    return result >= 0;
  }
}
