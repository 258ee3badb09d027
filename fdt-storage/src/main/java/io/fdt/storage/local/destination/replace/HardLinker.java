package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.util.concurrent.ThreadLocalRandom;

/** Adds names to files, within open directories; pure functions on them. */
public final class HardLinker {
  private static final String GIVING = "give another name to a file:";

  private HardLinker() {}

  /**
   * Adds a name to the file of another name, replacing any file or link of that name.
   *
   * @param size expected bytes of the file, to detect that the first name was taken by another one
   * @return false when the file has as many names as its file system allows
   */
  public static boolean link(
      Directory from, FileName first, long size, Directory to, FileName name, Replacer replacer)
      throws FdtException {
    Attributes file = from.get(first);
    if (!file.is(EntryKind.FILE) || file.size() != size) {
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED,
          "'%s' was replaced meanwhile: '%s' cannot become a hard link to it; run the command again"
              .formatted(from.pathOf(first), to.pathOf(name)));
    }
    int fromDescriptor = from.pin();
    try {
      int toDescriptor = to.pin();
      try {
        int result = replacer.calls().link(fromDescriptor, first, toDescriptor, name);
        if (result == -Errno.EEXIST) {
          return replace(file, from, first, to, name, replacer);
        }
        if (result == -Errno.EMLINK) {
          return false;
        }
        check(result, to, name);
        checkSame(file, to, name, name);
        return true;
      } finally {
        to.unpin();
      }
    } finally {
      from.unpin();
    }
  }

  private static boolean replace(
      Attributes file,
      Directory from,
      FileName first,
      Directory to,
      FileName name,
      Replacer replacer)
      throws FdtException {
    Attributes there = to.get(name);
    if (there.isSameFile(file)) {
      return true;
    }
    if (there.is(EntryKind.DIRECTORY) && !replacer.mayReplaceDirectory(to, name)) {
      throw Errno.ofName(Errno.EISDIR, "write", to.pathOf(name));
    }
    if (to.isAppendOnly()) {
      throw Replacer.appendOnly(to, name);
    }
    FileName temporary = TemporaryName.Kind.PART.name(ThreadLocalRandom.current().nextLong());
    int fromDescriptor = from.pin();
    try {
      int toDescriptor = to.pin();
      try {
        int result = replacer.calls().link(fromDescriptor, first, toDescriptor, temporary);
        if (result == -Errno.EMLINK) {
          return false;
        }
        check(result, to, name);
        checkSame(file, to, temporary, name);
        Replacer.Replaced old;
        try {
          old = replacer.put(to, temporary, name, GIVING);
        } catch (FdtException e) {
          Syscalls.unlink(toDescriptor, temporary);
          throw e;
        }
        old.remove();
        return true;
      } finally {
        to.unpin();
      }
    } finally {
      from.unpin();
    }
  }

  /** The first name may have been swapped after the check. */
  private static void checkSame(Attributes file, Directory to, FileName made, FileName name)
      throws FdtException {
    Attributes now = to.get(made);
    if (!now.isSameFile(file)) {
      int pinned = to.pin();
      try {
        Syscalls.unlink(pinned, made);
      } finally {
        to.unpin();
      }
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED,
          "the file that '%s' links to was replaced meanwhile: run the command again"
              .formatted(to.pathOf(name)));
    }
  }

  private static void check(int result, Directory to, FileName name) throws FdtException {
    if (result < 0) {
      throw Errno.ofName(-result, GIVING, to.pathOf(name));
    }
  }
}
