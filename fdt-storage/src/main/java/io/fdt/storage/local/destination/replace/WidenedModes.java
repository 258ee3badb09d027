package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.FdtException;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.Syscalls;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Directories of this user that were made accessible for the time of a transfer: as in rsync, so
 * that a copy of a read-only tree can be updated. Thread-safe.
 */
public final class WidenedModes {
  private static final int OWNER = 0700;

  /** Their earlier modes, in the order of the changes. Guarded by this. */
  private final Map<Directory, Integer> before = new LinkedHashMap<>();

  private boolean closed;

  /**
   * Gives this user access to a directory, after a refusal.
   *
   * @return whether a retry makes sense
   */
  public synchronized boolean widen(Directory directory) throws FdtException {
    int user = Syscalls.effectiveUser();
    if (closed) {
      return false;
    }
    Attributes now = directory.current();
    if (now.user() != user || (now.mode() & OWNER) == OWNER) {
      return false;
    }
    int pinned = directory.pin();
    try {
      if (Syscalls.chmodOpen(pinned, now.mode() | OWNER) < 0) {
        return false;
      }
    } finally {
      directory.unpin();
    }
    before.putIfAbsent(directory, now.mode());
    return true;
  }

  /** The mode that a directory had before this transfer. */
  public synchronized int modeOf(Directory directory, int now) {
    return before.getOrDefault(directory, now);
  }

  /** The directory has its final mode. */
  public synchronized void forget(Directory directory) {
    before.remove(directory);
  }

  /** Restores the mode of a directory. */
  public synchronized void restore(Directory directory) {
    Integer mode = before.remove(directory);
    if (mode != null) {
      restore(directory, mode);
    }
  }

  /** Restores all modes, inner directories first. */
  public synchronized void restore() {
    List<Directory> all = new ArrayList<>(before.keySet());
    for (int i = all.size() - 1; i >= 0; i--) {
      restore(all.get(i), before.get(all.get(i)));
    }
    before.clear();
  }

  private static void restore(Directory directory, int mode) {
    try {
      int pinned = directory.pin();
      try {
        Syscalls.chmodOpen(pinned, mode);
      } finally {
        directory.unpin();
      }
    } catch (FdtException e) {
      // The directory is gone, or was replaced.
    }
  }

  /** Restores all modes, and changes none afterwards. */
  public synchronized void close() {
    closed = true;
    restore();
  }
}
