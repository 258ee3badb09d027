package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import java.util.Arrays;
import java.util.List;

/**
 * The path of a directory as the local user typed it: follows links, and can create missing parts.
 *
 * <p>Immutable; every method is a disk operation.
 */
public record TrustedPath(DirectoryScope scope, BytePath path) {
  private static final byte[] ROOT = {'/'};

  /** Whether the directory exists, possibly behind links. */
  public boolean isDirectory() throws FdtException {
    return openIfThere(path) != null;
  }

  /**
   * The directory, created with missing parents.
   *
   * @param parentsOfMade collects the directories in which one was created
   */
  public MadeDirectory openOrMake(int mode, List<Directory> parentsOfMade) throws FdtException {
    Directory there = openIfThere(path);
    if (there != null) {
      return new MadeDirectory(there, false);
    }
    byte[] bytes = path.bytes();
    int end = 0;
    while (end < bytes.length) {
      byte[] parent = Arrays.copyOf(bytes, end);
      end = endOfName(bytes, end);
      if (make(Arrays.copyOf(bytes, end), mode)) {
        BytePath made = BytePath.of(parent.length == 0 && bytes[0] == '/' ? ROOT : parent);
        parentsOfMade.add(Directory.at(scope, made, made));
      }
    }
    return new MadeDirectory(Directory.at(scope, path, path), true);
  }

  /**
   * A directory, or the last one on the way to it.
   *
   * @param isWhole whether it is the directory itself
   */
  public record Nearest(Directory directory, boolean isWhole) {
    /** The directory; null when it is missing. */
    public Directory whole() {
      return isWhole ? directory : null;
    }
  }

  /** The directory; null when it is missing. As {@link #nearest}. */
  public Directory find() throws FdtException {
    return nearest().whole();
  }

  /**
   * The directory, or the one in which {@link #openOrMake} would begin to create.
   *
   * @throws FdtException WRONG_KIND for another kind of entry
   */
  public Nearest nearest() throws FdtException {
    Directory found = openIfThere(path);
    if (found != null) {
      return new Nearest(found, true);
    }
    byte[] bytes = path.bytes();
    Directory last = openIfThere(start(bytes));
    for (int end = 0; end < bytes.length; ) {
      end = endOfName(bytes, end);
      BytePath prefix = BytePath.of(Arrays.copyOf(bytes, end));
      Directory next = openIfThere(prefix);
      if (next == null) {
        FileName name = PathNames.split(prefix).last();
        if (name != null && last.find(name) != null) {
          throw MadeDirectory.notADirectory(prefix.toString());
        }
        break;
      }
      last = next;
    }
    return new Nearest(last, false);
  }

  private static BytePath start(byte[] bytes) {
    return bytes.length > 0 && bytes[0] == '/' ? BytePath.of(ROOT) : BytePath.EMPTY;
  }

  /** The index after the next name that starts at {@code from} or later. */
  private static int endOfName(byte[] bytes, int from) {
    int end = from;
    while (end < bytes.length && bytes[end] == '/') {
      end++;
    }
    while (end < bytes.length && bytes[end] != '/') {
      end++;
    }
    return end;
  }

  /** Creates a missing directory; returns whether this call has created it. */
  private boolean make(byte[] prefix, int mode) throws FdtException {
    BytePath part = BytePath.of(prefix);
    if (openIfThere(part) != null) {
      return false;
    }
    int result = Syscalls.mkdir(Flags.AT_FDCWD, prefix, mode);
    if (result == -Errno.EEXIST) {
      throw MadeDirectory.notADirectory(part.toString());
    }
    if (result < 0) {
      throw Errno.ofName(-result, "make the directory", part.toString());
    }
    return true;
  }

  /** The directory of a path; null for anything else. */
  private Directory openIfThere(BytePath wanted) throws FdtException {
    try {
      return Directory.at(scope, wanted, wanted);
    } catch (FdtException e) {
      if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.WRONG_KIND) {
        return null;
      }
      throw e;
    }
  }
}
