package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Range;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A directory of the destination. Names resolve within it only: no method follows a link. Any
 * thread; every method is a disk operation except {@link #disk}, {@link #isFresh} and {@link
 * #path}.
 */
public interface DestinationDirectory extends AutoCloseable {
  /** Fewest bytes of a file that has a journal. */
  long JOURNALED_BYTES = Entry.RESUMED_BYTES;

  /** Fewest bytes of a file that has a journal here. */
  default long journaledBytes() {
    return JOURNALED_BYTES;
  }

  /** The disk of new files in this directory. */
  DiskId disk();

  /** Whether this transfer created the directory, which then holds only files of this transfer. */
  boolean isFresh();

  /** The path, for messages. */
  String path();

  /** The attributes of a name, if it exists. */
  Optional<Attributes> find(FileName name) throws FdtException;

  /**
   * The time to compare with the source: {@code wanted}, if the file system stores it as the time
   * seen. For file systems that differ within the destination; {@link Capabilities#timeStep} has
   * the rounding of the others.
   *
   * @param seen result of {@link #find}
   * @param wanted the source's time
   */
  default Timestamp timeOf(Attributes seen, Timestamp wanted) {
    return seen.modified();
  }

  /**
   * Whether another spelling would be the same name here: other case, other forms of accents, a
   * trailing dot. May create a file to find out, and remove it.
   */
  default boolean folds(FileName name) throws FdtException {
    return false;
  }

  /**
   * Whether a name can be stored here that some file systems refuse, see {@link
   * io.fdt.core.model.WindowsName}. May create files to find out, and remove them.
   */
  default boolean stores(FileName name) throws FdtException {
    return true;
  }

  /** The most bytes of a file here. */
  default long mostBytes() throws FdtException {
    return Long.MAX_VALUE;
  }

  /**
   * Opens the directory of this name, created if missing. An existing directory is unchanged.
   *
   * @throws FdtException WRONG_KIND for anything else, including a link to a directory
   */
  DestinationDirectory makeDirectory(FileName name) throws FdtException;

  /**
   * As {@link #makeDirectory}, but replaces anything else than a directory: the old entry is
   * removed, or moved to the backups, once the directory has its name.
   */
  DestinationDirectory replaceByDirectory(FileName name) throws FdtException;

  /**
   * Whether the directory of this name could be removed with its content, so that a file or a link
   * can take its place. A dry run then treats the name as free.
   *
   * @param way the names from the directory that is transferred to this one
   * @param rules spare names, and receive the removals
   */
  boolean mayRemoveDirectory(FileName name, List<FileName> way, DeletionRules rules)
      throws InterruptedException;

  /**
   * Lets a file or a link replace the directory of this name. When it does, the directory is
   * removed with its content, or moved to the backups.
   *
   * @param way see {@link #mayRemoveDirectory}
   * @param rules see {@link #mayRemoveDirectory}; used on the thread that publishes the file or
   *     link
   */
  void letReplace(FileName name, List<FileName> way, DeletionRules rules);

  /**
   * Opens an existing file for comparison.
   *
   * @param seen result of {@link #find}
   * @throws FdtException SOURCE_CHANGED when it was replaced meanwhile; PERMISSION, ...
   */
  ExistingFile openExisting(FileName name, Attributes seen) throws FdtException;

  /**
   * Whether an existing file has the wanted mode, time and owner, as far as they are kept.
   *
   * @param seen result of {@link #find}
   * @param modified null to ignore the time
   */
  boolean agrees(Attributes seen, int mode, Timestamp modified, FileMetadata metadata);

  /**
   * Whether {@link #finish} would change mode, time or owner of this directory, which existed
   * before.
   *
   * @param modified see {@link #agrees}
   */
  boolean wouldChange(int mode, Timestamp modified, Owner owner) throws FdtException;

  /**
   * Sets mode, time and owner of an existing file, as far as they are kept and differ.
   *
   * @param modified null to keep the time
   * @param warnings receives a failure to set the owner
   */
  void refresh(
      ExistingFile file,
      int mode,
      Timestamp modified,
      FileMetadata metadata,
      Consumer<FdtException> warnings)
      throws FdtException;

  /**
   * Creates a symbolic link; replaces a link or a file of that name.
   *
   * @param owner null to keep its owner
   * @param warnings receives a failure to set the owner
   * @return false when the same link existed already
   */
  boolean makeLink(
      FileName name,
      BytePath target,
      Timestamp modified,
      Owner owner,
      Consumer<FdtException> warnings)
      throws FdtException;

  /**
   * Records attributes of this directory besides mode and time: sets extended attributes now, the
   * owner when it is finished. Reports failures.
   */
  void attach(FileMetadata metadata, Consumer<FdtException> warnings);

  /**
   * Adds a name to a file of this destination, replacing any file or link of that name.
   *
   * @param first a directory of the same destination
   * @param size bytes of the file
   * @return false when the file has as many names as its file system allows
   * @throws FdtException SOURCE_CHANGED when the first name was taken by another file; WRONG_KIND
   *     when a directory has the new one; IO across file systems
   */
  boolean makeHardLink(FileName name, DestinationDirectory first, FileName firstName, long size)
      throws FdtException;

  /**
   * Creates a file under a temporary name in this directory, or resumes one.
   *
   * @throws FdtException WRONG_KIND when a directory has the final name; IN_USE, also when the
   *     partial file to resume is gone; STORAGE_FULL, PERMISSION, ...
   */
  PendingFile create(FileName name, FileShape shape) throws FdtException;

  /**
   * Creates a complete small file in fewer steps than {@link #create}, where possible.
   *
   * @return false when nothing was done, for whatever reason; {@link #create} reports the error
   */
  default boolean put(
      FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata)
      throws FdtException {
    return false;
  }

  /**
   * Finds the partial file of an earlier transfer for this version; changes nothing. May read all
   * of it.
   */
  PartialFile findPartial(FileName name, SourceVersion version) throws FdtException;

  /**
   * Sets the mode and time of this directory, after all its content. Until then a directory that
   * this transfer created is accessible to its owner only.
   *
   * @param modified null for a directory that exists only in the new name of a source: an existing
   *     one is unchanged, a new one gets the mode reduced by the umask
   * @param durability whether this directory and the names in it are synced
   * @return the failures; the directory is usable despite them
   */
  List<FdtException> finish(int mode, Timestamp modified, Durability durability)
      throws FdtException;

  /**
   * Syncs the names in the directory to the device, if there is one.
   *
   * @throws FdtException IO, STORAGE_FULL, PERMISSION (an unreadable directory cannot be synced)
   */
  void force() throws FdtException;

  /** Releases the directory. Idempotent. */
  @Override
  void close();

  /** A file that existed before. Any thread. */
  interface ExistingFile extends AutoCloseable {
    /** See {@link PendingFile#read}. */
    int read(ByteBuf target, int length, long offset) throws FdtException;

    @Override
    void close();
  }

  /** A file before it gets its final name. Several threads may write at once. */
  interface PendingFile extends AutoCloseable {
    /**
     * Writes all readable bytes of {@code source}, whose reader and writer index do not move, at
     * {@code offset}.
     */
    void write(ByteBuf source, long offset) throws FdtException;

    /**
     * Appends up to {@code length} written bytes from {@code offset} on to {@code target}.
     *
     * @return how many; fewer than {@code length} only at the end of the file
     */
    int read(ByteBuf target, int length, long offset) throws FdtException;

    /**
     * Syncs the file to its device and evicts it from the page cache, so that {@link #read} reads
     * the device. Does nothing without a device.
     *
     * @param forced receives the number of synced bytes as it proceeds
     */
    void forget(LongConsumer forced) throws FdtException;

    /**
     * Sets attributes besides mode and time, before the file is published. Failures, now or at the
     * publication, are reported and leave the file valid.
     */
    void attach(FileMetadata metadata, Consumer<FdtException> warnings) throws FdtException;

    /** Makes an unwritten range of a sparse file read as zeros. */
    void makeHole(Range range) throws FdtException;

    /** Records a written range with its checksum; does nothing without a journal. */
    void keep(CheckedRange range) throws FdtException;

    /** Removes the file and its journal. Idempotent. */
    void discard();

    /**
     * Sets mode and time, and moves the file to its final name, replacing any file or link of that
     * name. Called once, when every byte is written and verified.
     *
     * @param durability whether data, mode and time are synced before it gets its name; the name is
     *     durable after the directory is synced
     */
    void publish(int mode, Timestamp modified, Durability durability) throws FdtException;

    /**
     * Releases the file. An unpublished one is removed unless a journal allows resuming it.
     * Idempotent, also after {@link #publish}.
     */
    @Override
    void close();
  }
}
