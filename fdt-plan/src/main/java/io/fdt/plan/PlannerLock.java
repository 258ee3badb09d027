package io.fdt.plan;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The lock of a plan's planner, across machines; the end of the process releases it. Without it,
 * two planners of a changing source could mix their units. On a file system without locks, the
 * checksums in the index detect such a unit later. Not thread-safe.
 */
final class PlannerLock implements AutoCloseable {
  private final Path file;
  private final FileChannel channel;

  private PlannerLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Takes the lock.
   *
   * @throws FdtException IN_USE when another planner has it
   */
  static PlannerLock take(PlanFiles files) throws FdtException {
    Path file = files.plannerLock();
    FileChannel channel;
    try {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw PlanFiles.failure("lock", file, e);
    }
    PlannerLock lock = new PlannerLock(file, channel);
    try {
      FileLock held = channel.tryLock();
      if (held != null) {
        return lock;
      }
    } catch (OverlappingFileLockException e) {
      lock.closeChannel();
      throw taken(files, e);
    } catch (IOException e) {
      return lock; // this file system has no locks
    }
    lock.closeChannel();
    throw taken(files, null);
  }

  private static FdtException taken(PlanFiles files, Throwable cause) {
    return new FdtException(
        ErrorCode.IN_USE, "another planner works in '" + files + "': wait for its end", cause);
  }

  private void closeChannel() throws FdtException {
    try {
      channel.close();
    } catch (IOException e) {
      throw PlanFiles.failure("unlock", file, e);
    }
  }

  /** Removes the file, while the lock is held: the plan is finished. */
  void remove() throws FdtException {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw PlanFiles.failure("remove", file, e);
    }
  }

  /** Releases the lock. Idempotent. */
  @Override
  public void close() throws FdtException {
    closeChannel();
  }
}
