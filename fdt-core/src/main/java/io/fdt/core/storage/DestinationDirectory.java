package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
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
 * A directory of the receiver's side. Names resolve within it and nowhere else: no method follows a
 * link. Any thread; every method is a disk operation except {@link #disk}, {@link #isFresh} and
 * {@link #path}.
 */
public interface DestinationDirectory extends AutoCloseable {
  /**
   * Files of at least this many bytes are continued after an interruption; smaller ones are sent
   * again.
   */
  long JOURNALED_BYTES = 4 << 20;

  /** In place of the size of a file that only its end will tell. */
  long UNKNOWN_SIZE = -1;

  /** Files of at least this many bytes have a journal here. */
  default long journaledBytes() {
    return JOURNALED_BYTES;
  }

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
   * The time of something in it, for comparisons with the source: what was wanted, where its file
   * system makes what it has of that.
   *
   * @param seen what {@link #find} said of it
   * @param wanted the time that the source has
   */
  default Timestamp timeOf(Attributes seen, Timestamp wanted) {
    return seen.modified();
  }

  /**
   * Whether another spelling of a name would be the same name here: in capitals, with other forms
   * of accents, with a dot at its end. May make something for that, and remove it.
   */
  default boolean folds(FileName name) throws FdtException {
    return false;
  }

  /**
   * The directory of this name, made when it is missing. A directory that is there stays as it is.
   *
   * @throws FdtException WRONG_KIND when something else stands there (a link to a directory is
   *     something else)
   */
  DestinationDirectory makeDirectory(FileName name) throws FdtException;

  /**
   * As {@link #makeDirectory}, in place of what stands there and is no directory: that is removed,
   * or moved to the backups, once the directory has its name.
   */
  DestinationDirectory replaceByDirectory(FileName name) throws FdtException;

  /**
   * Whether the directory of this name could go with all that is in it, so that a file or a link
   * can take its place. A dry run finds nothing at the name from then on.
   *
   * @param way the names from the directory that is transferred to this one
   * @param rules says what stays, and is told what would go
   */
  boolean mayRemoveDirectory(FileName name, List<FileName> way, DeletionRules rules)
      throws InterruptedException;

  /**
   * From now on a file or a link may take the place of the directory of this name. Once it has, the
   * directory is removed with all that is in it, or moved to the backups.
   *
   * @param way as there
   * @param rules as there; used on the thread that gives the file or link its name
   */
  void letReplace(FileName name, List<FileName> way, DeletionRules rules);

  /**
   * Opens a file that is there, to be compared.
   *
   * @param seen what {@link #find} said of it
   * @throws FdtException SOURCE_CHANGED when it is no longer that; PERMISSION, ...
   */
  ExistingFile openExisting(FileName name, Attributes seen) throws FdtException;

  /**
   * Whether a file that stays has the mode, the time and the owner that it should have, as far as
   * they are kept.
   *
   * @param seen what {@link #find} said of it
   * @param modified null when its time stays
   */
  boolean agrees(Attributes seen, int mode, Timestamp modified, FileMetadata metadata);

  /**
   * Whether this directory was there before and has another mode, time or owner than {@link
   * #finish} would give it.
   *
   * @param modified as there
   */
  boolean wouldChange(int mode, Timestamp modified, Owner owner) throws FdtException;

  /**
   * Gives a file that stays its mode, time and owner, as far as they are kept and it has others.
   *
   * @param modified null when its time stays
   * @param warnings is told when the owner cannot be set
   */
  void refresh(
      ExistingFile file,
      int mode,
      Timestamp modified,
      FileMetadata metadata,
      Consumer<FdtException> warnings)
      throws FdtException;

  /**
   * Puts a symbolic link in place; replaces a link or a file of that name.
   *
   * @return false when the same link was there already
   */
  boolean makeLink(FileName name, BytePath target, Timestamp modified) throws FdtException;

  /**
   * Sets what this directory itself has besides mode and time: its extended attributes now, its
   * owner when it is finished. What cannot be set is told.
   */
  void attach(FileMetadata metadata, Consumer<FdtException> warnings);

  /** Gives a link to a user and a group. What is refused is told. */
  void setOwnerOfLink(FileName name, Owner owner, Consumer<FdtException> warnings)
      throws FdtException;

  /**
   * Gives a file of this destination another name, in place of whatever file or link has that.
   *
   * @param first a directory of the same destination
   * @param size bytes of the file
   * @return false when the file has as many names as its file system allows
   * @throws FdtException SOURCE_CHANGED when something else has taken the first name; WRONG_KIND
   *     when a directory has the new one; IO when a file system is in the way
   */
  boolean makeHardLink(FileName name, DestinationDirectory first, FileName firstName, long size)
      throws FdtException;

  /**
   * A new file that grows under a temporary name in this directory.
   *
   * @param size its size in the end, for which space is reserved when it is large; {@link
   *     #UNKNOWN_SIZE} when nobody knows it
   * @throws FdtException WRONG_KIND when a directory has the final name; IN_USE, STORAGE_FULL,
   *     PERMISSION, ...
   */
  PendingFile createFile(FileName name, long size) throws FdtException;

  /**
   * Writes all of a small file and gives it its mode, its time and its name at once, where that can
   * be done in less steps than with {@link #createFile}.
   *
   * @return false when nothing was done, for whatever reason: {@link #createFile} tells
   */
  boolean putFile(FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata)
      throws FdtException;

  /**
   * What an earlier transfer left of a file of this version; changes nothing. May read all of it.
   */
  PartialFile findPartial(FileName name, SourceVersion version) throws FdtException;

  /**
   * A file that grows under a temporary name beside a journal, so that another transfer can
   * continue it.
   *
   * @param kept what {@link #findPartial} found, which is not written again; empty to start anew
   * @throws FdtException as {@link #createFile}; IN_USE also when what was found is gone
   */
  PendingFile createJournaledFile(FileName name, SourceVersion version, List<CheckedRange> kept)
      throws FdtException;

  /**
   * A file that will have holes: it has its size at once, and no space is reserved. When it is
   * large enough for that it has a journal.
   *
   * @param kept as in {@link #createJournaledFile}
   */
  PendingFile createSparseFile(FileName name, SourceVersion version, List<CheckedRange> kept)
      throws FdtException;

  /**
   * Sets the mode and time of this directory itself, after everything in it. Until then one that
   * this transfer made is open to its owner only.
   *
   * @param modified null for a directory that exists only in the new name of a source: one that was
   *     there stays as it is, a new one gets the mode without what the process's mask takes away
   * @return what could not be set; it is good without that
   */
  List<FdtException> finish(int mode, Timestamp modified) throws FdtException;

  /**
   * Forces the names in it to its device. Means nothing without one.
   *
   * @throws FdtException IO, STORAGE_FULL, PERMISSION (a directory that cannot be read cannot be
   *     forced either)
   */
  void force() throws FdtException;

  /** As {@link #finish}, and then everything about this directory and the names in it is forced. */
  List<FdtException> finishDurably(int mode, Timestamp modified) throws FdtException;

  /** Gives it back. Idempotent. */
  @Override
  void close();

  /** A file that was there before. Any thread. */
  interface ExistingFile extends AutoCloseable {
    /** Reads as {@link PendingFile#read}. */
    int read(ByteBuf target, int length, long offset) throws FdtException;

    @Override
    void close();
  }

  /** A file that has not got its final name yet. Writes may run on several threads at once. */
  interface PendingFile extends AutoCloseable {
    /** Writes all readable bytes of {@code source}, whose indices stay, at {@code offset}. */
    void write(ByteBuf source, long offset) throws FdtException;

    /**
     * Appends up to {@code length} bytes of what was written from {@code offset} on to {@code
     * target}.
     *
     * @return how many; fewer than {@code length} only at the end of the file
     */
    int read(ByteBuf target, int length, long offset) throws FdtException;

    /**
     * Forces what was written to the device and has the system forget its copy in memory, so that
     * {@link #read} gives what the device has. Means nothing without a device.
     *
     * @param forced is told how many bytes are on their device, while it goes on
     */
    void forget(LongConsumer forced) throws FdtException;

    /**
     * Sets what the file has besides mode and time, before it is published. What cannot be set,
     * then or when it is published, is told, and the file stays good without it.
     */
    void attach(FileMetadata metadata, Consumer<FdtException> warnings) throws FdtException;

    /** Has a range of a sparse file read as zeros, of which none was written. */
    void makeHole(Range range) throws FdtException;

    /** Notes that a range is written, with its checksum; means nothing without a journal. */
    void keep(CheckedRange range) throws FdtException;

    /** Removes it, journal and all: what was written is of no use to anybody. Idempotent. */
    void discard();

    /**
     * Gives the file its mode, its time and its final name, in place of whatever file or link had
     * it. To be called once, when every byte is written and verified.
     */
    void publish(int mode, Timestamp modified) throws FdtException;

    /**
     * As {@link #publish}, with data, mode and time on the device before the file gets its name;
     * the name is there when the directory was forced.
     *
     * @param forced is told how many bytes are on their device, while it goes on
     */
    void publishDurably(int mode, Timestamp modified, LongConsumer forced) throws FdtException;

    /**
     * Gives it back. What was not published is removed, unless a journal says what it is good for.
     * Idempotent, also after {@link #publish}.
     */
    @Override
    void close();
  }
}
