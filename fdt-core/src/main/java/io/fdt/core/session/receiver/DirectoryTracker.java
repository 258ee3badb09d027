package io.fdt.core.session.receiver;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Entry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The unfinished directories: a directory is finished when its last descendant has an outcome.
 *
 * <p>Memory: about 500 bytes for each, at most {@link #MAX_DIRECTORIES}. Not thread-safe: confined
 * to its {@link ReceiverMachine}.
 */
final class DirectoryTracker {
  /** One for each entry of the window, and as many for their parents. */
  private static final int MAX_DIRECTORIES = 2 * ReceiverMachine.WINDOW;

  private static final class OpenDirectory {
    final Entry entry;
    long open;
    boolean ended;

    /** Whether the directory was created or found. */
    boolean usable;

    OpenDirectory(Entry entry) {
      this.entry = entry;
    }
  }

  private final Map<Long, OpenDirectory> directories = new HashMap<>();
  private boolean allDone;

  DirectoryTracker() {
    OpenDirectory root = new OpenDirectory(null);
    root.usable = true;
    directories.put(Entry.ROOT, root);
  }

  /** Whether entries may have this parent. */
  boolean isOpen(long id) {
    OpenDirectory directory = directories.get(id);
    return directory != null && !directory.ended;
  }

  /** Counts one more entry with this parent. */
  void addChild(long parentId) {
    directories.get(parentId).open++;
  }

  void add(Entry directory) throws FdtException {
    if (directories.size() > MAX_DIRECTORIES) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "more than " + MAX_DIRECTORIES + " directories that are not ended");
    }
    directories.put(directory.id(), new OpenDirectory(directory.withoutAttributes()));
  }

  /** Records that a directory was created or found. */
  void setUsable(long id) {
    directories.get(id).usable = true;
  }

  /** Records that no more entries have this parent. */
  void end(long id) throws FdtException {
    if (!isOpen(id) || id == Entry.ROOT) {
      throw new FdtException(ErrorCode.PROTOCOL, "end of directory " + id + ", which is not open");
    }
    directories.get(id).ended = true;
  }

  /** Ends the directories that the manifest has left open. */
  void endAll() throws FdtException {
    for (OpenDirectory directory : directories.values()) {
      if (!directory.ended && directory.entry != null) {
        throw new FdtException(
            ErrorCode.PROTOCOL, "manifest ended within directory " + directory.entry.id());
      }
    }
    directories.get(Entry.ROOT).ended = true;
  }

  /** Records the outcome of one entry with this parent. */
  void childDone(long parentId, long placedThrough, List<? super Entry> finishable) {
    directories.get(parentId).open--;
    finishIfDone(parentId, placedThrough, finishable);
  }

  /**
   * Checks whether a directory is done.
   *
   * @param placedThrough the last placed entry
   * @param finishable takes the directory when its mode and time are to be set
   */
  void finishIfDone(long id, long placedThrough, List<? super Entry> finishable) {
    OpenDirectory directory = directories.get(id);
    if (!directory.ended || directory.open > 0) {
      return;
    }
    if (directory.entry == null) {
      allDone = true;
    } else if (id <= placedThrough) {
      if (directory.usable) {
        directory.usable = false;
        finishable.add(directory.entry);
      } else {
        close(directory.entry, placedThrough, finishable);
      }
    }
  }

  /** Closes a directory whose mode and time were set, or failed to be set. */
  void close(Entry directory, long placedThrough, List<? super Entry> finishable) {
    directories.remove(directory.id());
    childDone(directory.parentId(), placedThrough, finishable);
  }

  /** Whether every entry has its outcome. */
  boolean isAllDone() {
    return allDone;
  }
}
