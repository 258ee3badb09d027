package io.fdt.storage.local.destination;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.Errno;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.LibC;
import io.fdt.storage.local.os.Syscalls;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes small files that have no name until they are whole (O_TMPFILE): no other process sees one
 * before, a lock is not needed, and nothing is left of one when this process dies. Any thread.
 *
 * <p>Where anything is in the way, the kernel's or file system's lack of such files too, nothing
 * has happened, and the file is to be written under a temporary name; that tells what it was.
 */
final class UnnamedTempFiles {
  private static final int CREATE = LibC.O_TMPFILE | LibC.O_RDWR;

  /** Names in a row that could not be given, for whatever reason but that they were taken. */
  private static final int MOST_FAILURES = 3;

  private final AtomicInteger failures = new AtomicInteger();
  private volatile boolean unsupported;

  /**
   * Gives all bytes of a file a name that nothing has, on a file system whose close reports
   * nothing.
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
      int descriptor = Syscalls.open(pinned, Syscalls.ITSELF, CREATE, TemporaryName.MODE);
      if (descriptor < 0) {
        unsupported = descriptor == -Errno.EOPNOTSUPP || descriptor == -Errno.EISDIR;
        return false;
      }
      try {
        return FileDescriptor.write(descriptor, bytes, 0) >= 0
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

  /** What is refused of one file is refused of all. */
  private boolean isSet(int result) {
    unsupported |= result < 0 && Errno.isRefusal(-result);
    return result >= 0;
  }

  /** What fails again and again would have each file written twice. */
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
