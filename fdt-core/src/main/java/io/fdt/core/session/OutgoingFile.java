package io.fdt.core.session;

import io.fdt.core.manifest.Entry;

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

  /** Everything before this has been planned for reading. */
  private long planned;

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

  long unplanned() {
    return size() - planned;
  }

  /** The offset of the next block of at most this length, which counts as planned from now on. */
  long plan(long length) {
    long offset = planned;
    planned += length;
    return offset;
  }

  /** Accounts one block that was read for the first time; true when it was the last one missing. */
  boolean accountRead(long length, int shiftedCrc) {
    read += length;
    crc ^= shiftedCrc;
    return read == size();
  }

  int crc() {
    return crc;
  }
}
