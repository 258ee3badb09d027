package io.fdt.core.session;

import io.fdt.core.manifest.Entry;
import io.fdt.core.manifest.Range;
import io.fdt.core.manifest.RangeSet;
import java.util.ArrayDeque;
import java.util.List;

/**
 * One file of the sender from its place in the manifest to its result.
 *
 * <p>Not thread-safe: confined to the thread of its {@link SenderSession}. What is final may be
 * read anywhere.
 *
 * @param <S> what opens the file; this package only keeps it
 */
public final class OutgoingFile<S> {
  private final Entry entry;
  private final S source;
  private final int lane;

  /** What has not been planned for reading, in order. */
  private final ArrayDeque<Range> missing = new ArrayDeque<>(1);

  private long toRead;

  /** Bytes that have been read for the first time. */
  private long read;

  /** Checksum of what was read so far, as if the rest were zero bytes (see Crc32cCombine). */
  private int crc;

  private boolean wanted;
  private boolean settled;

  OutgoingFile(Entry entry, S source, int lane) {
    this.entry = entry;
    this.source = source;
    this.lane = lane;
    this.toRead = entry.size();
    if (entry.size() > 0) {
      missing.add(new Range(0, entry.size()));
    }
  }

  public Entry entry() {
    return entry;
  }

  public S source() {
    return source;
  }

  public long id() {
    return entry.id();
  }

  public long size() {
    return entry.size();
  }

  int lane() {
    return lane;
  }

  boolean isWanted() {
    return wanted;
  }

  void want() {
    wanted = true;
  }

  /** Whether its fate is known, so that nothing more of it is to be read or sent. */
  boolean isSettled() {
    return settled;
  }

  void settle() {
    settled = true;
  }

  /** Ranges that the receiver has already: they are not read. Before anything is planned. */
  void keep(List<Range> ranges) {
    RangeSet kept = new RangeSet();
    for (Range range : ranges) {
      kept.add(range.start(), range.end());
    }
    missing.clear();
    missing.addAll(kept.missing(size()));
    toRead = size() - kept.covered();
  }

  /** Bytes that the receiver has to get. */
  long toRead() {
    return toRead;
  }

  /** Whether every byte has been planned for reading. */
  boolean isPlanned() {
    return missing.isEmpty();
  }

  /**
   * The next block to read, which counts as planned from now on. It ends where a block of this
   * length that began at the start of the file would end.
   */
  Range planBlock(int blockSize) {
    Range next = missing.poll();
    long end = Math.min(next.end(), next.start() - next.start() % blockSize + blockSize);
    if (end < next.end()) {
      missing.addFirst(new Range(end, next.end()));
    }
    return new Range(next.start(), end);
  }

  /** Whether every byte that had to be read has been. */
  boolean isRead() {
    return read == toRead;
  }

  /** Accounts one block that was read for the first time. */
  void accountRead(long length, int shiftedCrc) {
    read += length;
    crc ^= shiftedCrc;
  }

  int crc() {
    return crc;
  }
}
