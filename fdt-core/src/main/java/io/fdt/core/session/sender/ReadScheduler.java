package io.fdt.core.session.sender;

import io.fdt.core.session.sender.ReadQueue.FirstPieces;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives every disk of a source its next jobs, a bounded number at a time.
 *
 * <p>Not thread-safe: confined to its {@link SenderMachine}.
 */
final class ReadScheduler<S> {
  private static final class Disk<S> {
    final ReadQueue<S> queue;
    int jobs;

    Disk(ReadQueue<S> queue) {
      this.queue = queue;
    }
  }

  private final int blockSize;
  private final int packRecord;
  private final InOrderWindow window;
  private final FirstPieces first = new FirstPieces();
  private final List<Disk<S>> disks = new ArrayList<>();
  private int jobsPerDisk;

  /**
   * @param packRecord overhead in bytes of each file in a pack
   */
  ReadScheduler(int blockSize, int packRecord, InOrderWindow window) {
    this.blockSize = blockSize;
    this.packRecord = packRecord;
    this.window = window;
  }

  /** Cuts about this many bytes into small pieces. */
  void cutFirst(long bytes) {
    first.begin(bytes);
  }

  void setJobs(int perDisk) {
    jobsPerDisk = perDisk;
  }

  void add(OutgoingFile<S> file) {
    disk(file.queue()).queue.add(file);
  }

  /** Adds a file with more to read or to hash, unless it is there. */
  void more(OutgoingFile<S> file) {
    disk(file.queue()).queue.more(file);
  }

  /** Reads a job again, without files that have an outcome. */
  void again(ReadJob<S> job) {
    ReadJob<S> left = job.unsettled();
    if (left != null) {
      disk(left.queue()).queue.again(left);
    }
  }

  /** Takes back an unread block. */
  void giveBack(ReadJob.Block<S> job) {
    disk(job.queue()).queue.giveBack(job);
  }

  private Disk<S> disk(int number) {
    while (disks.size() <= number) {
      disks.add(new Disk<>(new ReadQueue<>(blockSize, packRecord, window, first)));
    }
    return disks.get(number);
  }

  /** Records that a job of this queue is done. */
  void done(int queue) {
    disk(queue).jobs--;
  }

  /** Assigns jobs to the readers of every disk, as far as there are any. */
  void fill(List<? super SenderAction<S>> actions) {
    for (int i = 0; i < disks.size(); i++) {
      Disk<S> disk = disks.get(i);
      while (disk.jobs < jobsPerDisk) {
        ReadJob<S> job = disk.queue.next();
        if (job == null) {
          break;
        }
        disk.jobs++;
        actions.add(new SenderAction.Read<>(i, job));
      }
    }
  }
}
