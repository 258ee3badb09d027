package io.fdt.core.storage;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.netty.buffer.ByteBuf;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongConsumer;

/** The sender's side of a dataset: finds its entries and opens its files. */
public interface SourceTree extends AutoCloseable {
  /**
   * What the user named, in the order of the command line. An operand that does not exist or cannot
   * be read is left out here and reported by {@link #walk}.
   */
  List<Root> roots();

  /**
   * Visits every entry, parents before children, on the calling thread. One thing that fails is
   * reported to the visitor and does not end the walk.
   */
  void walk(Visitor visitor) throws InterruptedException;

  /**
   * What it waits for just now, for people: a directory that is listed, a file that is read; empty
   * for nothing. Any thread; waits for nothing itself.
   */
  default String waitsFor() {
    return "";
  }

  /**
   * Where the directories that the user named arrive, beneath the destination. After the walk; no
   * disk operation.
   */
  List<BytePath> arrivals();

  /**
   * Those of {@link #arrivals} where the source holds nothing at all, chosen or not, as a file
   * system that is not mounted does. After the walk; no disk operation.
   */
  default List<BytePath> emptyArrivals() {
    return List.of();
  }

  /**
   * Which of these paths at the destination nothing of the source would arrive at, by their
   * indices; what the user's choice leaves out is there all the same. A disk operation, one at a
   * time.
   */
  BitSet lacking(List<List<FileName>> paths);

  /**
   * Whether the receiver takes the bytes of its file in order, so that blocks may be only so far
   * ahead of each other.
   */
  boolean isInOrder();

  /**
   * Tells where to count bytes that are read again, or are known without reading, while no data
   * flows, so that nobody takes that for a stall. Once, first.
   */
  default void meter(LongConsumer bytes) {}

  /**
   * Makes sure that the bytes of a file that were read are those that it should have, where the
   * tree knows that. Any thread; no disk operation.
   *
   * @param size bytes
   * @param digest of the whole file, made of chunks
   * @throws FdtException VERIFICATION
   */
  default void check(SourceFile file, long size, byte[] digest) throws FdtException {}

  /** Closes what the walk and the files still hold open. Idempotent. */
  @Override
  void close();

  /**
   * What is told during a walk. Methods may block for as long as the session has enough entries.
   */
  interface Visitor {
    /**
     * One entry; ids count up from 1. A directory that exists only in the new name of an operand
     * has no time (null).
     *
     * @param file what opens it; null unless the entry is a file
     */
    void entry(Entry entry, SourceFile file) throws InterruptedException;

    /**
     * No more entries have this parent. Called once for each directory, after its last descendant.
     */
    void directoryEnd(long id) throws InterruptedException;

    /** Something that is never copied: a device, a socket, a FIFO. */
    void skipped(String path, String reason);

    /** Something that could not be read; everything beneath it is missing from the manifest. */
    void failed(String path, FdtException reason);
  }

  /** A file that can be opened. Cheap to keep by the ten thousand; any thread. */
  interface SourceFile {
    /** The disk that it lies on. */
    DiskId disk();

    /** Its path for people, relative to what the user named. */
    String path();

    /**
     * Opens it without following links and without blocking.
     *
     * @throws FdtException NOT_FOUND, PERMISSION, SOURCE_CHANGED (no longer the file of the walk),
     *     RESOURCES, IO
     */
    BlockReader open() throws FdtException;

    /**
     * Appends all bytes of a small file, which is still what the walk saw when they have been read.
     *
     * @param size bytes that the walk saw
     * @throws FdtException as {@link #open}; what was appended then is not of the file
     */
    default void readWhole(ByteBuf target, int size) throws FdtException {
      try (BlockReader reader = open()) {
        int read = size == 0 ? 0 : reader.read(target, size, 0);
        reader.checkUnchanged();
        checkWhole(read, size);
      }
    }

    /**
     * Makes sure that nothing was missing of what was read.
     *
     * @throws FdtException SOURCE_CHANGED
     */
    default void checkWhole(long read, long size) throws FdtException {
      if (read < size) {
        throw new FdtException(
            ErrorCode.SOURCE_CHANGED,
            "%s became shorter while it was read: %d bytes, %d expected; run the command again"
                .formatted(path(), read, size));
      }
    }

    /**
     * How it has changed since the walk, where that does not keep it from being copied: one line
     * with its path. Empty when it has not, as far as anybody knows.
     */
    default String change() {
      return "";
    }

    /**
     * Gives back what it holds (its directory); to be called once when the session is done with it.
     */
    void release();
  }
}
