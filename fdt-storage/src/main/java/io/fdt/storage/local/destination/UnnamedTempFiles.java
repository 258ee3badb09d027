package io.fdt.storage.local.destination;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes small files without a name until they are complete (O_TMPFILE): invisible to other
 * processes, without a lock, and without leftovers when this process dies. Any thread.
 *
 * <p>On any failure, including a lack of support, nothing has changed, and the caller writes the
 * file under a temporary name, which reports the error.
 */
final class UnnamedTempFiles {
  private static final int CREATE = Flags.O_TMPFILE | Flags.O_RDWR;

  /** Consecutive failures to set a name, except for taken names, after which it gives up. */
  private static final int MOST_FAILURES = 3;

  private final AtomicInteger failures = new AtomicInteger();
  private volatile boolean unsupported;

  /**
   * Writes a file under a free name, on a file system whose close reports nothing.
   *
   * @param modified null to keep the time of writing
   * @return whether that was done
   */
  boolean put(Directory directory, FileName name, ByteBuf bytes, int mode, Timestamp modified)
      throws FdtException {
    if (unsupported) {
      return false;
    }
    int pinned = directory.pin();
    try {
      int descriptor = Syscalls.open(pinned, Flags.ITSELF, CREATE, FileCreationMask.TEMPORARY);
      if (descriptor < 0) {
        unsupported = descriptor == -Errno.EOPNOTSUPP || descriptor == -Errno.EISDIR;
        return false;
      }
      try {
        return Syscalls.write(descriptor, bytes, 0) >= 0
            && isSet(Syscalls.chmod(descriptor, mode))
            && (modified == null || isSet(Syscalls.setModified(descriptor, modified)))
            && !directory.scope().isClosed()
            && link(descriptor, pinned, name);
      } finally {
        Syscalls.close(descriptor); // reports nothing on such a file system
      }
    } finally {
      directory.unpin();
    }
  }

  /** A refusal for one file applies to all. */
  private boolean isSet(int result) {
    unsupported |= result < 0 && Errno.isRefusal(-result);
    return result >= 0;
  }

  /** Repeated failures would have each file written twice. */
  private boolean link(int descriptor, int directory, FileName name) {
    int result = Syscalls.link(descriptor, directory, name);
    if (result >= 0) {
      failures.set(0);
    } else if (result != -Errno.EEXIST && failures.incrementAndGet() >= MOST_FAILURES) {
      unsupported = true;
    }
    return result >= 0;
  }
}
