package io.fdt.core.spec;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.model.Deletion;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.SyncRule;

/**
 * What both ends of a session agree on, and what each needs of it.
 *
 * @param blockSize bytes of one block
 * @param threadsPerDisk readers (sender) or writers (receiver) of each disk
 * @param socketBuffer bytes of the data sockets' buffers; 0 leaves them to the operating system
 * @param rateLimit bytes per second of all streams together that the client asks for when the
 *     session begins; 0 for none
 * @param assurance what is done so that a file that is done is right
 * @param sync which files stay as they are at the receiver
 * @param dryRun whether the receiver only says what it would want
 * @param deletion what happens to what the source lacks
 * @param preservation what is kept of files besides names and bytes
 */
public record TransferSettings(
    int blockSize,
    int threadsPerDisk,
    int socketBuffer,
    long rateLimit,
    Assurance assurance,
    SyncRule sync,
    boolean dryRun,
    Deletion deletion,
    Preservation preservation) {
  /** Least and most bytes of one block. */
  public static final int MIN_BLOCK = 4 << 10;

  public static final int MAX_BLOCK = 64 << 20;

  /** Most data streams of one session. */
  public static final int MAX_STREAMS = 128;

  /** Most threads for one disk of one session. */
  public static final int MAX_THREADS_PER_DISK = 64;

  /**
   * Blocks that one end may hold in memory at the least, so that disks and network can work at the
   * same time.
   */
  private static final int MIN_BUFFERED_BLOCKS = 8;

  private static final long BUFFERED_BYTES = 32L << 20;

  /** Memory of the names that a deletion must know. */
  public static final long DELETION_NAMES_BYTES = 32 << 20;

  /** With the assurance that everybody gets. */
  public TransferSettings(int blockSize, int threadsPerDisk, int socketBuffer, long rateLimit) {
    this(blockSize, threadsPerDisk, socketBuffer, rateLimit, Assurance.DEFAULT);
  }

  /** With files that are moved unless they are there already. */
  public TransferSettings(
      int blockSize, int threadsPerDisk, int socketBuffer, long rateLimit, Assurance assurance) {
    this(blockSize, threadsPerDisk, socketBuffer, rateLimit, assurance, SyncRule.DEFAULT, false);
  }

  /** With nothing that is deleted, and what is kept of files by default. */
  public TransferSettings(
      int blockSize,
      int threadsPerDisk,
      int socketBuffer,
      long rateLimit,
      Assurance assurance,
      SyncRule sync,
      boolean dryRun) {
    this(
        blockSize,
        threadsPerDisk,
        socketBuffer,
        rateLimit,
        assurance,
        sync,
        dryRun,
        Deletion.NONE,
        Preservation.DEFAULT);
  }

  /** How the digests of files are made. */
  public DigestMethod digestMethod() {
    return DigestMethod.of(assurance.checksum(), blockSize);
  }

  /** Memory of one end for blocks: 32 MiB, or eight blocks when those are larger. */
  public long bufferBytes() {
    return Math.max(BUFFERED_BYTES, (long) MIN_BUFFERED_BLOCKS * blockSize);
  }

  /**
   * Most memory of one end: blocks that wait, one that has come half per stream, names that a
   * deletion must know.
   */
  public long memoryBytes(int streams) {
    long names = deletion.isWanted() ? DELETION_NAMES_BYTES : 0;
    return bufferBytes() + (long) streams * blockSize + names;
  }
}
