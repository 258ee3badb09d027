package io.fdt.storage.portable;

import io.fdt.storage.posix.Errno;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The locks of this process, of one byte far behind the end of each file: Windows lets no other
 * program read what is locked.
 *
 * <p>On Unix, closing any channel of a file releases the locks of the whole process on it. Channels
 * of a locked file are therefore closed when its last lock is released. Any thread.
 */
final class FileLocks {
  private static final long POSITION = Long.MAX_VALUE - 1;

  /** Opens a file again by its name, for reading. */
  interface Reopening {
    /** Null when the name is gone, or that of this file in any case. */
    FileChannel open() throws IOException;
  }

  /** The lock of one file. Guarded by the locks. */
  private static final class Held {
    private FileLock lock;
    private final List<OpenFile> holders = new ArrayList<>();
    private final List<FileChannel> parked = new ArrayList<>();

    /** As asked for: a file that is open for reading only has a shared lock in any case. */
    private boolean isShared;

    boolean isHeldOnlyBy(OpenFile file) {
      return holders.size() == 1 && holders.get(0) == file;
    }
  }

  private final Map<Identity, Held> held = new HashMap<>();

  /**
   * Takes a lock, or changes the only one between exclusive and shared. If the name of the file is
   * that of another one by now, the file is mistaken.
   *
   * @return 0, or -EAGAIN when another one holds it
   */
  synchronized int take(OpenFile file, boolean isShared, Reopening again) throws IOException {
    Held there = held.get(file.named());
    if (there != null && !there.isHeldOnlyBy(file)) {
      if (!(isShared && there.isShared)) {
        return -Errno.EAGAIN;
      }
      there.holders.add(file);
      return 0;
    }
    if (there != null) {
      there.lock.release();
    }
    FileLock lock;
    try {
      lock = file.channel().tryLock(POSITION, 1, isShared || !file.isWritable());
    } catch (OverlappingFileLockException e) {
      return -Errno.EAGAIN; // by another part of this process
    }
    if (lock == null) {
      return -Errno.EAGAIN;
    }
    Held taken = there == null ? new Held() : there;
    taken.lock = lock;
    taken.isShared = isShared;
    if (there == null) {
      taken.holders.add(file);
      held.put(file.named(), taken);
      check(file, again, taken);
    }
    return 0;
  }

  /** A process cannot lock a file twice, which shows whether two channels are of one file. */
  private static void check(OpenFile file, Reopening again, Held taken) throws IOException {
    FileChannel second = again.open();
    if (second == null) {
      return;
    }
    if (isLocked(second)) {
      taken.parked.add(second);
      return;
    }
    second.close();
    if (isLocked(file.channel())) { // otherwise the file system has no locks
      file.mistaken();
    }
  }

  /** Whether this process has locked the file of a channel. */
  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock(POSITION, 1, true);
      if (lock != null) {
        lock.release();
      }
      return false;
    } catch (OverlappingFileLockException e) {
      return true;
    }
  }

  /** Closes the channel of a file, or leaves that to the last holder of its lock. */
  synchronized void close(OpenFile file) throws IOException {
    Held there = held.get(file.named());
    if (there == null) {
      file.channel().close();
      return;
    }
    there.parked.add(file.channel());
    there.holders.remove(file);
    if (there.holders.isEmpty()) {
      held.remove(file.named());
      IOException failure = null;
      for (FileChannel channel : there.parked) {
        try {
          channel.close();
        } catch (IOException e) {
          failure = e;
        }
      }
      if (failure != null) {
        throw failure;
      }
    }
  }
}
