package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.MadeDirectory;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Flags;
import java.util.concurrent.ThreadLocalRandom;

/** A temporary directory in which names are tried. Pure but for the system calls. */
final class TrialDirectory {
  private static final int NEW_FILE =
      Flags.O_RDWR | Flags.O_CREAT | Flags.O_EXCL | Flags.O_NOFOLLOW;
  private static final int MODE = 0700;

  private TrialDirectory() {}

  /** Something to find out in an empty directory, which leaves it empty. */
  interface Trial {
    boolean in(Directory room) throws FdtException;
  }

  /**
   * The result in a new directory, which is removed; the directory that holds it keeps its time.
   */
  static boolean in(Directory directory, DirectoryScope scope, Trial trial) throws FdtException {
    Timestamp before = directory.current().modified();
    FileName temporary = TemporaryName.Kind.PART.name(ThreadLocalRandom.current().nextLong());
    Directory room = MadeDirectory.make(directory, scope, temporary, MODE).directory();
    try {
      return trial.in(room);
    } finally {
      int pinned = directory.pin();
      try {
        int result = Syscalls.rmdir(pinned, temporary);
        if (result >= 0) {
          Syscalls.setModifiedOfDirectory(pinned, before);
        }
      } finally {
        directory.unpin();
      }
    }
  }

  /** Creates an empty file. */
  static int create(int pinned, FileName name) {
    int descriptor = Syscalls.open(pinned, name, NEW_FILE, FileCreationMask.TEMPORARY);
    return descriptor < 0 ? descriptor : Syscalls.close(descriptor);
  }
}
