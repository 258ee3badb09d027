package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Moves an entry from a temporary name to its final one, replacing any existing entry.
 *
 * <pre>
 *   file or link in place of a file or link:   rename
 *   anything in place of another kind:         exchange both names, remove the old entry
 *     without RENAME_EXCHANGE:                 note the name, move the old entry aside, rename; or
 *                                              move it back (see ReplacedName)
 * </pre>
 *
 * <p>An error leaves the old entry or the new one. Any thread.
 */
public final class Replacer {
  /** Removes a replaced directory. */
  public interface Replaced {
    Replaced NOTHING = () -> {};

    /**
     * Removes the old entry.
     *
     * @throws FdtException a part of it remains, under the name in the message
     */
    void remove() throws FdtException;
  }

  private static final String MAKING = "make the directory";

  private record Place(Directory directory, FileName name) {}

  /** A directory that may be replaced. */
  private record Room(List<FileName> way, DeletionRules rules) {}

  private final DirectoryScope scope;
  private final FinishingCalls calls;
  private final WidenedModes modes;
  private final Map<Place, Room> rooms = new ConcurrentHashMap<>();

  /** Null without backups. */
  private volatile Backups backups;

  public Replacer(DirectoryScope scope, FinishingCalls calls, WidenedModes modes) {
    this.scope = scope;
    this.calls = calls;
    this.modes = modes;
  }

  public FinishingCalls calls() {
    return calls;
  }

  /** Sets the backups for overwritten files. */
  public void keepIn(Backups value) {
    backups = value;
  }

  /** The place of the backups; null for none. */
  public BackupPlace backupPlace() {
    return backups == null ? null : backups.place();
  }

  /** How deleted names are disposed of: removed, or moved to the backups. */
  public Disposal disposal(boolean pretend) {
    Disposal disposal = backups == null ? Disposal.REMOVE : backups.disposal();
    return new AdmittingDisposal(pretend ? Disposal.PRETEND : disposal, modes);
  }

  /** See {@link io.fdt.core.storage.DestinationDirectory#letReplace}. */
  public void letReplace(
      Directory directory, FileName name, List<FileName> way, DeletionRules rules) {
    rooms.put(new Place(directory, name), new Room(way, rules));
  }

  /** Whether a directory of this name may be replaced by something else. */
  public boolean mayReplaceDirectory(Directory directory, FileName name) {
    return !rooms.isEmpty() && rooms.containsKey(new Place(directory, name));
  }

  /**
   * Moves a file or a link to its final name, and backs up the old entry if requested.
   *
   * @param doing for the message of a failure
   * @return the removal of a replaced directory, which has another name now
   * @throws FdtException nothing was changed
   */
  public Replaced put(Directory directory, FileName ready, FileName name, String doing)
      throws FdtException {
    Room room = rooms.isEmpty() ? null : rooms.remove(new Place(directory, name));
    if (room != null && isDirectory(directory.find(name))) {
      FileName old = swap(directory, ready, name, doing);
      return () -> removeDirectory(directory, old, name, room);
    }
    FileName moved = backups == null ? null : backups.keep(directory, name);
    int pinned = directory.pin();
    try {
      int result = calls.rename(pinned, ready, name);
      if (result < 0 && moved != null) {
        backups.giveBack(directory, moved, name);
      }
      if (result < 0) {
        throw Errno.ofName(-result, doing, directory.pathOf(name));
      }
      return Replaced.NOTHING;
    } finally {
      directory.unpin();
    }
  }

  /**
   * Moves a file to its final name, which must be free.
   *
   * @param doing for the message of a failure
   * @throws FdtException WRONG_KIND when the name is taken; nothing was changed
   */
  public Replaced putNew(Directory directory, FileName ready, FileName name, String doing)
      throws FdtException {
    int pinned = directory.pin();
    try {
      int result = calls.renameToFree(pinned, ready, pinned, name);
      if (result == -Errno.EINVAL && directory.find(name) == null) {
        result = calls.rename(pinned, ready, name); // no atomic rename to a free name here
      }
      if (result == -Errno.EEXIST || result == -Errno.EINVAL) {
        throw new FdtException(
            ErrorCode.WRONG_KIND,
            "'%s' exists; choose another name, or replace it".formatted(directory.pathOf(name)));
      }
      if (result < 0) {
        throw Errno.ofName(-result, doing, directory.pathOf(name));
      }
      return Replaced.NOTHING;
    } finally {
      directory.unpin();
    }
  }

  /** The error of an append-only directory. */
  public static FdtException appendOnly(Directory directory, FileName name) {
    return new FdtException(
        ErrorCode.PERMISSION,
        "'%s' cannot be replaced or renamed: its directory is append-only; run 'chattr -a' on it"
            .formatted(directory.pathOf(name)));
  }

  /** A temporary name for an entry that is about to be replaced. */
  private static FileName nameOfOld() {
    return TemporaryName.Kind.OLD.name(ThreadLocalRandom.current().nextLong());
  }

  public static boolean isDirectory(Attributes found) {
    return found != null && found.is(EntryKind.DIRECTORY);
  }

  /**
   * Swaps an entry with the existing one.
   *
   * @return the new name of the old entry
   * @throws FdtException nothing was changed
   */
  private FileName swap(Directory directory, FileName ready, FileName name, String doing)
      throws FdtException {
    FileName old = nameOfOld();
    int pinned = directory.pin();
    try {
      int result = calls.exchange(pinned, ready, name);
      if (result == 0) {
        return calls.rename(pinned, ready, old) == 0 ? old : ready;
      }
      if (result == -Errno.EINVAL || result == -Errno.ENOSYS || result == -Errno.EOPNOTSUPP) {
        result = moveAside(directory, pinned, ready, name, old, doing);
        if (result == 0) {
          return old;
        }
      }
      throw Errno.ofName(-result, doing, directory.pathOf(name));
    } finally {
      directory.unpin();
    }
  }

  /**
   * Replaces an entry without RENAME_EXCHANGE; returns 0, or a negative error number when nothing
   * was changed.
   */
  private int moveAside(
      Directory directory, int pinned, FileName ready, FileName name, FileName old, String doing)
      throws FdtException {
    long number = TemporaryName.numberIn(old.bytes());
    try (ReplacedName note = ReplacedName.note(directory, pinned, number, name, doing)) {
      int result = calls.rename(pinned, name, old);
      if (result < 0) {
        return result;
      }
      result = calls.rename(pinned, ready, name);
      if (result < 0 && calls.rename(pinned, old, name) < 0) {
        note.isStillNeeded();
        throw new FdtException(
            Errno.codeOf(-result),
            "'%s' could not be replaced, and is now '%s'; rename it back, or run 'fdt cleanup'"
                .formatted(directory.pathOf(name), directory.pathOf(old)));
      }
      return result;
    }
  }

  private void removeDirectory(Directory directory, FileName old, FileName name, Room room)
      throws FdtException {
    Removal removal = new Removal(room.rules(), backupPlace());
    if (backups != null) {
      backups.alias(old, name);
    }
    try {
      boolean isGone =
          new RemoveTree(scope, disposal(false), room.rules().oneFileSystem(), removal)
              .remove(directory, old, name, room.way());
      if (!isGone) {
        throw removal.failure(directory.pathOf(name), directory.pathOf(old));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(
          ErrorCode.CANCELLED,
          "'%s' was not removed: the removal was cancelled; remove it"
              .formatted(directory.pathOf(old)),
          e);
    } finally {
      if (backups != null) {
        backups.forgetAlias(old);
      }
    }
  }

  /** Removes a directory that was replaced. Confined to its thread. */
  private static final class Removal implements RemoveTree.Visitor {
    private final DeletionRules rules;
    private final BackupPlace backups;
    private FdtException first;

    Removal(DeletionRules rules, BackupPlace backups) {
      this.rules = rules;
      this.backups = backups;
    }

    @Override
    public boolean keeps(List<FileName> way, FileName name, Attributes found) {
      boolean isDirectory = isDirectory(found);
      return (isDirectory && backups != null && backups.isAt(found))
          || rules.isLeftOut(way, name, isDirectory);
    }

    @Override
    public void removed(String path, Attributes what) throws InterruptedException {
      rules.deleted(path, what.kind().orElse(null));
    }

    @Override
    public void failed(String path, FdtException cause) throws InterruptedException {
      first = first == null ? cause : first;
      rules.failed(path, cause);
    }

    FdtException failure(String path, String old) {
      String reason = first == null ? "excluded files were added to it" : first.getMessage();
      return new FdtException(
          first == null ? ErrorCode.IN_USE : first.code(),
          "'%s' replaced a directory, and a part of that remains: %s; remove '%s'"
              .formatted(path, reason, old),
          first);
    }
  }

  /** Replaces a file or a link by an empty directory. */
  public void putDirectory(Directory directory, FileName name, int mode) throws FdtException {
    if (directory.isAppendOnly()) {
      throw appendOnly(directory, name);
    }
    FileName made = nameOfOld();
    int pinned = directory.pin();
    try {
      int result = Syscalls.mkdir(pinned, made, mode);
      if (result < 0) {
        throw Errno.ofName(-result, MAKING, directory.pathOf(name));
      }
      try {
        FileName old = swap(directory, made, name, MAKING);
        try {
          dispose(directory, old, name);
        } catch (FdtException e) {
          made = swap(directory, old, name, MAKING);
          throw e;
        }
      } catch (FdtException e) {
        Syscalls.rmdir(pinned, made);
        throw e;
      }
    } finally {
      directory.unpin();
    }
  }

  /** Moves a file or link that was replaced by a directory to the backups, or removes it. */
  private void dispose(Directory directory, FileName old, FileName name) throws FdtException {
    Attributes found = directory.get(old);
    if (isDirectory(found)) {
      throw new FdtException(
          ErrorCode.IN_USE,
          "'%s' became a directory meanwhile; run the command again"
              .formatted(directory.pathOf(name)));
    }
    if (backups != null) {
      backups.alias(old, name);
    }
    int pinned = directory.pin();
    try {
      int result = disposal(false).leaf(directory, pinned, old, found);
      if (result < 0) {
        throw Errno.ofName(-result, "replace", directory.pathOf(name));
      }
    } finally {
      directory.unpin();
      if (backups != null) {
        backups.forgetAlias(old);
      }
    }
  }
}
