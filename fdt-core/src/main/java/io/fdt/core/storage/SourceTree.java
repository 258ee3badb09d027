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

/** The source of a transfer: finds its entries and opens its files. */
public interface SourceTree extends AutoCloseable {
  /**
   * The operands, in the order of the command line. One that does not exist or cannot be read is
   * missing here, and {@link #walk} reports it.
   */
  List<Root> roots();

  /**
   * Visits every entry, parents before children, on the calling thread. A failure is reported to
   * the visitor and does not end the walk.
   */
  void walk(Visitor visitor) throws InterruptedException;

  /**
   * Describes the current disk operation, such as a directory listing or a file read; empty for
   * none. Any thread; does not block.
   */
  default String waitsFor() {
    return "";
  }

  /** The destination paths of the directory operands. After the walk; no disk operation. */
  List<BytePath> arrivals();

  /**
   * The {@link #arrivals} whose source is empty regardless of the selection, as an unmounted file
   * system is. After the walk; no disk operation.
   */
  default List<BytePath> emptyArrivals() {
    return List.of();
  }

  /**
   * The indices of those destination paths to which no source file corresponds; files excluded by
   * the selection count as present. A disk operation, one at a time.
   */
  BitSet lacking(List<List<FileName>> paths);

  /** Threads per disk that it keeps busy, where the user chose no other number. */
  default int readers() {
    return 2;
  }

  /** Whether the tree reads its file in order only, which limits how far blocks may run ahead. */
  boolean isInOrder();

  /**
   * Sets a counter for bytes that are re-read, or known without reading, while no data flows, so
   * that this does not count as a stall. Called once, first.
   */
  default void meter(LongConsumer bytes) {}

  /**
   * Verifies the bytes of a file against a digest that the tree knows, if any. Any thread; no disk
   * operation.
   *
   * @param size bytes
   * @param digest of the whole file, from chunks
   * @throws FdtException VERIFICATION
   */
  default void check(SourceFile file, long size, byte[] digest) throws FdtException {}

  /**
   * Names the requested attributes of files that it does not read, in one line; empty for none. No
   * disk operation.
   */
  default String losses() {
    return "";
  }

  /** Releases everything that the walk and the files hold open. Idempotent. */
  @Override
  void close();

  /** Receives the results of a walk. Methods may block while the session has enough entries. */
  interface Visitor {
    /**
     * An entry; ids count up from 1. A directory that exists only in the new name of an operand has
     * no time (null).
     *
     * @param file null unless the entry is a file
     */
    void entry(Entry entry, SourceFile file) throws InterruptedException;

    /**
     * The directory has no more entries. Called once for each directory, after its last descendant.
     */
    void directoryEnd(long id) throws InterruptedException;

    /** An entry that is never copied: a device, a socket, a FIFO. */
    void skipped(String path, String reason);

    /** An entry that could not be read; everything beneath it is missing from the manifest. */
    void failed(String path, FdtException reason);
  }

  /** A file of the walk. Small enough to keep ten thousands of; any thread. */
  interface SourceFile {
    DiskId disk();

    /** The path for messages, relative to the operand. */
    String path();

    /**
     * Opens the file without following links and without blocking.
     *
     * @throws FdtException NOT_FOUND, PERMISSION, SOURCE_CHANGED (no longer the file of the walk),
     *     RESOURCES, IO
     */
    BlockReader open() throws FdtException;

    /**
     * Appends all bytes of a small file, and checks that it is unchanged since the walk.
     *
     * @param size bytes that the walk saw
     * @throws FdtException as {@link #open}; the appended bytes are then invalid
     */
    default void readWhole(ByteBuf target, int size) throws FdtException {
      try (BlockReader reader = open()) {
        int read = size == 0 ? 0 : reader.read(target, size, 0);
        reader.checkUnchanged();
        checkWhole(read, size);
      }
    }

    /**
     * Checks that the file was read completely.
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
     * The file's change since the walk, when it was copied anyway: one line with its path. Empty
     * when no change is known.
     */
    default String change() {
      return "";
    }

    /** Releases its resources (its directory); called once when the session is done with it. */
    void release();
  }
}
