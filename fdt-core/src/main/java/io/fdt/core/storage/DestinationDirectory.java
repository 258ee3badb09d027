package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.BytePath;
import io.fdt.core.manifest.FileName;
import io.fdt.core.manifest.Timestamp;
import io.netty.buffer.ByteBuf;
import java.util.Optional;

/**
 * A directory of the receiver's side. Names resolve within it and nowhere else: no method follows a
 * link. Any thread; every method is a disk operation except {@link #disk}, {@link #isFresh} and
 * {@link #path}.
 */
public interface DestinationDirectory extends AutoCloseable {
  /** The disk that new files in it lie on. */
  DiskId disk();

  /**
   * Whether this transfer made it, so that nothing can be in it but what this transfer put there.
   */
  boolean isFresh();

  /** Its path for people. */
  String path();

  /** What stands at a name, if anything. */
  Optional<Attributes> find(FileName name) throws FdtException;

  /**
   * The directory of this name, made when it is missing. A directory that is there stays as it is.
   *
   * @throws FdtException WRONG_KIND when something else stands there (a link to a directory is
   *     something else)
   */
  DestinationDirectory makeDirectory(FileName name) throws FdtException;

  /** Puts a symbolic link in place; replaces a link or a file of that name. */
  void makeLink(FileName name, BytePath target, Timestamp modified) throws FdtException;

  /**
   * A new file that grows under a temporary name in this directory.
   *
   * @param size its size in the end, for which space is reserved when it is large
   * @throws FdtException WRONG_KIND when a directory has the final name; IN_USE, STORAGE_FULL,
   *     PERMISSION, ...
   */
  PendingFile createFile(FileName name, long size) throws FdtException;

  /** Sets the mode and time of this directory itself, after everything in it. */
  void finish(int mode, Timestamp modified) throws FdtException;

  /** Gives it back. Idempotent. */
  @Override
  void close();

  /** A file that has not got its final name yet. Writes may run on several threads at once. */
  interface PendingFile extends AutoCloseable {
    /** Writes all readable bytes of {@code source}, whose indices stay, at {@code offset}. */
    void write(ByteBuf source, long offset) throws FdtException;

    /**
     * Gives the file its mode, its time and its final name, in place of whatever file or link had
     * it. To be called once, when every byte is written and verified.
     */
    void publish(int mode, Timestamp modified) throws FdtException;

    /** Removes what was not published. Idempotent, also after {@link #publish}. */
    @Override
    void close();
  }
}
