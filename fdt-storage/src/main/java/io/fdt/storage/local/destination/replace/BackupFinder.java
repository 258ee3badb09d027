package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.PathNames;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.ExportedRoots;
import io.fdt.storage.local.os.MadeDirectory;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.local.os.TrustedPath;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds or creates the directory for backups. Relative to the destination, links are not followed:
 * a peer may have placed them.
 *
 * @param wanted as the user named it
 * @param makes whether to create it when missing
 */
public record BackupFinder(DirectoryScope scope, BytePath wanted, boolean makes) {
  private static final byte[] UP = {'.', '.'};

  /** The owner needs access to create further directories. */
  private static final int LEAST_MODE = 0700;

  private static final int PERMISSIONS = 0777;
  private static final int LOOK = Flags.O_PATH | Flags.O_DIRECTORY;

  /**
   * For the user of this machine: any absolute path, or a path relative to the destination that may
   * start with "..".
   *
   * @param base the destination; null when it does not exist yet
   * @param basePath its path
   * @return null without a destination
   */
  public BackupPlace trusted(Directory base, BytePath basePath) throws FdtException {
    TrustedPath.Nearest found;
    if (wanted.isAbsolute()) {
      TrustedPath path = new TrustedPath(scope, wanted);
      if (makes) {
        path.openOrMake(modeLike(base), new ArrayList<>());
      }
      found = path.nearest();
    } else {
      Directory start = base;
      byte[] bytes = wanted.bytes();
      int at = 0;
      for (; startsWithUp(bytes, at) && start != null; at = Math.min(at + 3, bytes.length)) {
        basePath = basePath.resolve(BytePath.of(UP));
        start = Directory.at(scope, basePath, basePath);
      }
      BytePath rest = BytePath.of(Arrays.copyOfRange(bytes, at, bytes.length));
      found = beneath(start, PathNames.confined(rest), base);
    }
    return checked(found, base, false);
  }

  private static boolean startsWithUp(byte[] path, int at) {
    return path.length >= at + 2
        && path[at] == '.'
        && path[at + 1] == '.'
        && (path.length == at + 2 || path[at + 2] == '/');
  }

  /**
   * Backups of a client: relative to the destination, or absolute within the same export.
   *
   * @param start of the destination's path
   * @param base the destination; null when it does not exist yet
   * @return null without a destination
   */
  public BackupPlace confined(Directory base, ExportedRoots exports, ExportedRoots.Start start)
      throws FdtException {
    if (!wanted.isAbsolute()) {
      return checked(beneath(base, PathNames.confined(wanted), base), base, true);
    }
    ExportedRoots.Start there = exports.startOfWriting(wanted);
    if (there.root() != start.root()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "backups in '"
              + wanted
              + "' would be in another export than the destination; name a directory of its"
              + " export");
    }
    return checked(beneath(there.root(), there.names(), base), base, true);
  }

  private TrustedPath.Nearest beneath(Directory start, List<FileName> names, Directory base)
      throws FdtException {
    Directory current = start;
    for (FileName name : names) {
      Directory next = current == null ? null : child(current, name, base);
      if (next == null) {
        return new TrustedPath.Nearest(current, false);
      }
      current = next;
    }
    return new TrustedPath.Nearest(current, true);
  }

  private Directory child(Directory parent, FileName name, Directory base) throws FdtException {
    TemporaryName.refuse(name, () -> parent.pathOf(name));
    return makes
        ? MadeDirectory.make(parent, scope, name, modeLike(base)).directory()
        : find(parent, name);
  }

  private Directory find(Directory parent, FileName name) throws FdtException {
    Attributes there = parent.find(name);
    if (there != null && !there.is(EntryKind.DIRECTORY)) {
      throw MadeDirectory.notADirectory(parent.pathOf(name));
    }
    return there == null ? null : parent.child(scope, name);
  }

  /** Users without access to the destination get no access to its backups. */
  private static int modeLike(Directory base) throws FdtException {
    return (base.current().mode() & PERMISSIONS) | LEAST_MODE;
  }

  private BackupPlace checked(TrustedPath.Nearest nearest, Directory base, boolean isConfined)
      throws FdtException {
    if (base == null) {
      return null;
    }
    Directory found = nearest.directory();
    Attributes root = found.firstSeen();
    if (nearest.isWhole()
        && (root.isSameFile(base.firstSeen())
            || above(base, isConfined).stream().anyMatch(root::isSameFile))) {
      throw new FdtException(
          ErrorCode.USAGE,
          "backups cannot go to '%s', which is the destination or holds it: name a directory beneath it or beside it"
              .formatted(found.path()));
    }
    if (root.device() != base.firstSeen().device()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "backups cannot go to '%s': it is on another file system than the destination"
              .formatted(found.path()));
    }
    List<Attributes> above = above(found, isConfined);
    if (!nearest.isWhole()) {
      above.add(root);
    }
    return new BackupPlace(nearest.whole(), above);
  }

  /** All directories above this one; within an export, those up to its root. */
  private List<Attributes> above(Directory directory, boolean isConfined) throws FdtException {
    List<Attributes> above = new ArrayList<>();
    Directory top = directory;
    while (top.parent() != null) {
      top = top.parent();
      above.add(top.firstSeen());
    }
    if (!isConfined) {
      addAll(top, above);
    }
    return above;
  }

  /**
   * Walks up to the root of the file system, which is its own parent, or to the first directory
   * without access.
   */
  private static void addAll(Directory start, List<Attributes> above) throws FdtException {
    Attributes last = start.firstSeen();
    int pinned = start.pin();
    int next;
    try {
      next = Syscalls.open(pinned, UP, LOOK, 0);
    } finally {
      start.unpin();
    }
    while (next >= 0) {
      int current = next;
      Attributes found = Syscalls.statx(current) < 0 ? last : Syscalls.attributes();
      boolean isTop = found.isSameFile(last);
      if (!isTop) {
        above.add(found);
        last = found;
      }
      next = isTop ? -Errno.ENOENT : Syscalls.open(current, UP, LOOK, 0);
      Syscalls.close(current);
    }
  }
}
