package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.MadeDirectory;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Moves overwritten and deleted files of a destination to the directory for backups, keeping their
 * paths beneath the destination.
 *
 * <pre>
 *   destination/a/b/name  -->  backups/a/b/name; where an older backup has it, name.~1~, name.~2~ ...
 * </pre>
 *
 * <p>Directories are created on demand, with the permissions of those at the destination. An
 * overwritten file keeps its name until it is replaced: until then it has both names. Any thread.
 */
public final class Backups {
  private static final int PERMISSIONS = 0777;
  private static final int PRIVATE = 0700;
  private static final int PRIVATE_FILE = 0600;
  private static final int RESERVE =
      Flags.O_WRONLY | Flags.O_CREAT | Flags.O_EXCL | Flags.O_NOFOLLOW;

  /** Most backups of one name. */
  private static final int MOST_BACKUPS = 1_000_000;

  /** The directory for backups of the names in one directory. */
  private record Target(Directory holder, Directory backups) {}

  private final DirectoryScope scope;
  private final FinishingCalls calls;
  private final Directory base;
  private final BackupPlace place;

  private final Map<FileName, FileName> aliases = new ConcurrentHashMap<>();

  /** Names of one directory mostly come in sequence. */
  private volatile Target last;

  /**
   * @param base the destination
   */
  public Backups(DirectoryScope scope, FinishingCalls calls, Directory base, BackupPlace place) {
    this.calls = calls;
    this.scope = scope;
    this.base = base;
    this.place = place;
  }

  public BackupPlace place() {
    return place;
  }

  /** Moves removed files, and the directories that held them, to the backups. */
  public Disposal disposal() {
    return new Moving();
  }

  /**
   * Adds a name among the backups to an existing entry. Does nothing for a directory, which is not
   * replaced.
   *
   * @return the backup's name if the entry was moved there, because it cannot have two names;
   *     otherwise null
   */
  public FileName keep(Directory holder, FileName name) throws FdtException {
    Attributes there = holder.find(name);
    if (there == null || there.is(EntryKind.DIRECTORY)) {
      return null;
    }
    boolean[] isMoved = {false};
    int from = holder.pin();
    try {
      Taken taken =
          take(
              backupsOf(holder),
              name,
              there,
              (to, free) -> {
                int result = calls.link(from, name, to, free);
                isMoved[0] = result < 0 && result != -Errno.EEXIST;
                return isMoved[0] ? move(from, name, to, free) : result;
              });
      check(taken.result(), holder, name);
      return isMoved[0] && taken.result() == 0 ? taken.name() : null;
    } finally {
      holder.unpin();
    }
  }

  /**
   * Undoes a move by {@link #keep} after the replacement has failed.
   *
   * @param moved its name among the backups
   */
  public void giveBack(Directory holder, FileName moved, FileName name) throws FdtException {
    Directory backups = backupsOf(holder);
    int to = holder.pin();
    try {
      int from = backups.pin();
      try {
        check(Syscalls.rename(from, moved, to, name), holder, name);
      } finally {
        backups.unpin();
      }
    } finally {
      holder.unpin();
    }
  }

  /** Backs a temporary name up under its original name. */
  public void alias(FileName temporary, FileName name) {
    aliases.put(temporary, name);
  }

  public void forgetAlias(FileName temporary) {
    aliases.remove(temporary);
  }

  private FileName original(FileName name) {
    return aliases.getOrDefault(name, name);
  }

  private static void check(int result, Directory holder, FileName name) throws FdtException {
    boolean isGone = result == -Errno.ENOENT && holder.find(name) == null; // by another process
    if (result < 0 && !isGone) {
      throw Errno.ofName(-result, "keep a backup of", holder.pathOf(name));
    }
  }

  /** Gives an entry a name that is free. */
  @FunctionalInterface
  private interface Taking {
    /**
     * Takes the name.
     *
     * @return 0, or a negative error number: EEXIST when another process was faster
     */
    int take(int directory, FileName free);
  }

  /**
   * A name among the backups, and the result of taking it.
   *
   * @param name null when the existing entry is the same file
   */
  private record Taken(FileName name, int result) {}

  /**
   * Takes a free name, with the lowest number if those in use have no gaps.
   *
   * @throws FdtException no name is free
   */
  private Taken take(Directory backups, FileName name, Attributes kept, Taking taking)
      throws FdtException {
    int low = -1; // taken, as are those before it
    for (int step = 1; low < MOST_BACKUPS; ) {
      int high = Math.min(low + step, MOST_BACKUPS);
      Attributes old = backups.find(numbered(backups, name, high));
      while (old == null && high - low > 1) {
        int middle = low + (high - low) / 2;
        Attributes found = backups.find(numbered(backups, name, middle));
        if (found == null) {
          high = middle;
        } else {
          low = middle;
          old = found.isSameFile(kept) ? found : null;
        }
      }
      if (old != null && old.isSameFile(kept)) {
        return new Taken(null, 0);
      }
      if (old == null) {
        FileName free = numbered(backups, name, high);
        int pinned = backups.pin();
        try {
          int result = taking.take(pinned, free);
          if (result != -Errno.EEXIST) {
            return new Taken(free, result);
          }
        } finally {
          backups.unpin();
        }
      }
      low = high;
      step = old == null ? 1 : 2 * step;
    }
    throw new FdtException(
        ErrorCode.BAD_NAME,
        "'%s' has %,d backups: remove some, or choose another %s"
            .formatted(backups.pathOf(name), MOST_BACKUPS, Setting.BACKUPS));
  }

  /** Renames to a free name. */
  private int move(int from, FileName name, int to, FileName free) {
    int result = calls.renameToFree(from, name, to, free);
    if (result != -Errno.EINVAL && result != -Errno.ENOSYS && result != -Errno.EOPNOTSUPP) {
      return result;
    }
    // The file system has no atomic rename to a free name: an empty file reserves the name.
    int reserved = Syscalls.open(to, free, RESERVE, PRIVATE_FILE);
    if (reserved < 0) {
      return reserved;
    }
    Syscalls.close(reserved);
    result = Syscalls.rename(from, name, to, free);
    if (result < 0) {
      Syscalls.unlink(to, free);
    }
    return result;
  }

  private static FileName numbered(Directory backups, FileName name, int number)
      throws FdtException {
    if (number == 0) {
      return name;
    }
    byte[] suffix = (".~" + number + "~").getBytes(StandardCharsets.US_ASCII);
    byte[] bytes = Arrays.copyOf(name.bytes(), name.bytes().length + suffix.length);
    System.arraycopy(suffix, 0, bytes, name.bytes().length, suffix.length);
    try {
      return FileName.of(bytes);
    } catch (IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.BAD_NAME,
          "'%s' has a backup already, and its name is too long for a number: choose another %s"
              .formatted(backups.pathOf(name), Setting.BACKUPS),
          e);
    }
  }

  /** The directory for backups of a destination directory. */
  private Directory backupsOf(Directory holder) throws FdtException {
    Target known = last;
    if (known != null && known.holder() == holder) {
      return known.backups();
    }
    return findBackupsOf(holder);
  }

  /**
   * Serialised: a directory created by one thread must not count as an older backup for another.
   */
  private synchronized Directory findBackupsOf(Directory holder) throws FdtException {
    Deque<Directory> way = new ArrayDeque<>();
    for (Directory step = holder; step != base; step = step.parent()) {
      way.push(step);
    }
    Directory current = place.root();
    for (Directory step : way) {
      current = child(current, original(step.name()), step.current());
    }
    last = new Target(holder, current);
    return current;
  }

  /** The directory of this name, created like that of the destination when missing. */
  private synchronized Directory child(Directory parent, FileName name, Attributes original)
      throws FdtException {
    Attributes old = parent.find(name);
    if (old != null && !old.is(EntryKind.DIRECTORY)) {
      moveAside(parent, name, original);
    }
    MadeDirectory made = MadeDirectory.make(parent, scope, name, PRIVATE);
    if (made.isFresh()) {
      int pinned = made.directory().pin();
      try {
        int result = 0;
        if (Syscalls.effectiveUser() == 0) {
          result = Syscalls.chownDirectory(pinned, original.user(), original.group());
        }
        if (result >= 0) {
          result = Syscalls.chmodDirectory(pinned, (original.mode() & PERMISSIONS) | PRIVATE);
        }
        check(result, parent, name);
      } finally {
        made.directory().unpin();
      }
    }
    return made.directory();
  }

  /** Gives an older backup a number when a directory needs its name. */
  private void moveAside(Directory parent, FileName name, Attributes original) throws FdtException {
    int pinned = parent.pin();
    try {
      Taken taken = take(parent, name, original, (to, free) -> move(pinned, name, to, free));
      check(taken.result(), parent, name);
    } finally {
      parent.unpin();
    }
  }

  private final class Moving implements Disposal {
    @Override
    public int leaf(Directory holder, int pinned, FileName name, Attributes found)
        throws FdtException {
      Taken taken =
          take(
              backupsOf(holder), original(name), found, (to, free) -> move(pinned, name, to, free));
      return taken.name() == null ? Syscalls.unlink(pinned, name) : taken.result();
    }

    @Override
    public int directory(Directory holder, int pinned, FileName name, Attributes found)
        throws FdtException {
      Directory kept = child(backupsOf(holder), original(name), found);
      int to = kept.pin();
      try {
        int result = Syscalls.setModifiedOfDirectory(to, found.modified());
        return result < 0 ? result : Syscalls.rmdir(pinned, name);
      } finally {
        kept.unpin();
      }
    }

    @Override
    public int temporary(int pinned, FileName name) {
      return REMOVE.temporary(pinned, name);
    }
  }
}
