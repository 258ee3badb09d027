package io.fdt.core.session.sender;

import io.fdt.core.model.Range;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The work for one disk: blocks of the largest file first, packs of small files between them, so
 * that the end of a transfer never waits for one large file.
 *
 * <p>Not thread-safe: confined to its {@link SenderMachine}.
 */
final class ReadQueue<S> {
  /**
   * The most files of one pack, which bounds the work of one job, so that all readers have work.
   */
  private static final int MAX_PACK_FILES = 256;

  /**
   * The most large files with a search for holes at the same time: the receiver stores the holes of
   * all.
   */
  private static final int MAX_SURVEYED = 16;

  /** The bytes of all disks that are cut into small pieces at the start of a session. */
  static final class FirstPieces {
    /**
     * 23 Ethernet segments: two round trips of a stream with an initial window of ten (RFC 6928).
     */
    private static final int PIECE = 32 << 10;

    private long left;

    void begin(long bytes) {
      left = bytes;
    }

    /** The maximum size of the next block or pack. */
    private int length(int blockSize) {
      return left > 0 ? Math.min(PIECE, blockSize) : blockSize;
    }

    private void planned(long bytes) {
      left = Math.max(0, left - bytes);
    }
  }

  private final int blockSize;
  private final int packRecord;
  private final FirstPieces first;
  private final InOrderWindow window;
  private final ArrayDeque<ReadJob<S>> again = new ArrayDeque<>();

  /** Planned blocks that were returned unread. */
  private final ArrayDeque<ReadJob.Block<S>> returned = new ArrayDeque<>();

  private final ArrayDeque<OutgoingFile<S>> small = new ArrayDeque<>();
  private final PriorityQueue<OutgoingFile<S>> large =
      new PriorityQueue<>((a, b) -> Long.compare(b.size(), a.size()));

  /** Files with ranges to hash: first those of which some are hashed. */
  private final ArrayDeque<OutgoingFile<S>> hashing = new ArrayDeque<>();

  private final ArrayDeque<OutgoingFile<S>> unsurveyed = new ArrayDeque<>();
  private boolean packNext;

  /**
   * @param packRecord overhead in bytes of each file in a pack
   * @param first shared by all queues
   */
  ReadQueue(int blockSize, int packRecord, InOrderWindow window, FirstPieces first) {
    this.blockSize = blockSize;
    this.packRecord = packRecord;
    this.window = window;
    this.first = first;
  }

  void add(OutgoingFile<S> file) {
    if (file.state() == OutgoingFile.State.SURVEYING) {
      unsurveyed.add(file);
      return;
    }
    boolean whole =
        file.state() == OutgoingFile.State.WANTED
            && file.toSend() == file.size()
            && !file.isStream()
            && file.hashes() == null;
    if (whole && file.size() + packRecord <= blockSize / 4) {
      file.setPacked();
      small.add(file);
    } else {
      more(file);
    }
  }

  /** Adds a file with more to read or to hash, unless it is there. */
  void more(OutgoingFile<S> file) {
    if (!file.isPlanned() && !file.isQueued()) {
      file.setQueued(true);
      large.add(file);
    }
    HashedRanges hashes = file.hashes();
    if (hashes != null && hashes.isDue() && !file.isInHashing()) {
      file.setInHashing(true);
      if (hashes.hasBegun()) {
        hashing.addFirst(file);
      } else {
        hashing.addLast(file);
      }
    }
  }

  /** Adds a job to be read again. */
  void again(ReadJob<S> job) {
    again.add(job);
  }

  /** Adds a returned block, which is read first. */
  void giveBack(ReadJob.Block<S> block) {
    returned.add(block);
  }

  /**
   * The next job; null when there is none now. Retransmissions come first; then blocks of large
   * files and packs of small ones alternate, so that neither waits.
   */
  ReadJob<S> next() {
    ReadJob.Block<S> unread = returned.poll();
    while (unread != null && unread.file().isSettled()) {
      unread = returned.poll();
    }
    if (unread != null) {
      return unread;
    }
    ReadJob<S> job = null;
    while (job == null && !again.isEmpty()) {
      job = again.poll().unsettled(); // its outcome may have become known while it waited
    }
    if (job != null) {
      return job;
    }
    while (!unsurveyed.isEmpty() && unsurveyed.peek().isSettled()) {
      unsurveyed.poll();
    }
    if (!unsurveyed.isEmpty() && large.size() + hashing.size() < MAX_SURVEYED) {
      return new ReadJob.Survey<>(unsurveyed.poll());
    }
    job = nextHashes(); // before blocks, which wait for the network
    if (job != null) {
      return job;
    }
    packNext = !packNext;
    job = packNext ? nextPack() : nextBlock();
    if (job == null) {
      job = packNext ? nextBlock() : nextPack();
    }
    return job;
  }

  private ReadJob<S> nextHashes() {
    while (!hashing.isEmpty()) {
      OutgoingFile<S> file = hashing.peek();
      if (!file.isSettled() && file.hashes().isDue()) {
        return file.hashes().hasNext() ? new ReadJob.Hash<>(file, file.hashes().next(), 0) : null;
      }
      hashing.poll();
      file.setInHashing(false);
    }
    return null;
  }

  private ReadJob<S> nextBlock() {
    OutgoingFile<S> file = large.peek();
    while (file != null && (file.isSettled() || file.isPlanned())) {
      pollLarge();
      file = large.peek();
    }
    if (file == null) {
      return null;
    }
    if (!window.allows(file.nextBlockLength(blockSize))) {
      return null;
    }
    Range block = file.planBlock(file.isStream() ? blockSize : first.length(blockSize));
    first.planned(block.length());
    if (file.isPlanned()) {
      pollLarge();
    }
    int length = Math.toIntExact(block.length());
    boolean isCrcOnly = file.state() == OutgoingFile.State.CHECKING;
    if (!isCrcOnly) {
      window.planned(file, block);
      window.written(file, block.start(), file.isKept(block) ? length : 0);
    }
    return file.isKept(block)
        ? new ReadJob.Check<>(file, block.start(), length, file.isHole(block), isCrcOnly)
        : new ReadJob.Block<>(file, block.start(), length, false);
  }

  private void pollLarge() {
    large.poll().setQueued(false);
  }

  private ReadJob<S> nextPack() {
    List<OutgoingFile<S>> files = new ArrayList<>();
    long bytes = 0;
    for (Iterator<OutgoingFile<S>> i = small.iterator(); i.hasNext(); ) {
      OutgoingFile<S> file = i.next();
      long needed = file.size() + packRecord;
      boolean isFull = bytes > 0 && bytes + needed > first.length(blockSize);
      if (isFull || files.size() == MAX_PACK_FILES) {
        break;
      }
      i.remove();
      if (!file.isSettled()) {
        files.add(file);
        bytes += needed;
      }
    }
    first.planned(bytes);
    return files.isEmpty() ? null : new ReadJob.Pack<>(files, false);
  }
}
