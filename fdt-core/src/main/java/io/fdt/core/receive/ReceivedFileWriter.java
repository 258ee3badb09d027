package io.fdt.core.receive;

import io.fdt.core.digest.PieceHasher;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.SyncRule;
import io.fdt.core.receive.FirstNames.FirstName;
import io.fdt.core.receive.delta.BaseFile;
import io.fdt.core.session.receiver.FoundRange;
import io.fdt.core.session.receiver.HashedPieces;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.ExistingFile;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.SharedFile;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.Crc32cCombine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * A file being received, from its first block to its final name. The first writer that needs it
 * opens it.
 *
 * <p>Thread-safe: several writers of a disk may work on one file.
 */
final class ReceivedFileWriter {
  private static final int COPIED_BYTES = 1 << 20;

  private final Entry entry;
  private final DestinationDirectory directory;
  private final FileName name;
  private final List<CheckedRange> kept;
  private final FirstName firstName;
  private volatile long size;
  private final Object turn = new Object();
  private PendingFile pending;

  /** The file in which bytes of this one are looked for; null for none. */
  private final BaseFile base;

  private boolean closed;

  /**
   * Attributes that could not be set; filled by the publishing thread, and read after it is done.
   */
  private List<FdtException> warnings = List.of();

  /**
   * @param kept ranges that an earlier transfer has written
   * @param base the file in which bytes of this one are looked for
   */
  ReceivedFileWriter(Entry entry, Place place, List<CheckedRange> kept, Optional<BaseFile> base) {
    this(entry, place, kept, base.orElse(null), null);
  }

  /** A file that becomes another name of {@code firstName}. */
  ReceivedFileWriter(Entry entry, Place place, FirstName firstName) {
    this(entry, place, List.of(), null, firstName);
  }

  private ReceivedFileWriter(
      Entry entry, Place place, List<CheckedRange> kept, BaseFile base, FirstName firstName) {
    this.firstName = firstName;
    this.kept = kept;
    this.entry = entry;
    this.size = entry.size();
    this.directory = place.directory();
    this.name = place.name();
    this.base = base;
  }

  DiskId disk() {
    return directory.disk();
  }

  /** The first name that this becomes another name of; null for a separate file. */
  FirstName firstName() {
    return firstName;
  }

  /** The directory of the file. */
  DestinationDirectory directory() {
    return directory;
  }

  /** The final size in bytes. */
  long size() {
    return size;
  }

  /** The size of a stream, once it has ended and before the file is published. */
  void setSize(long bytes) {
    size = bytes;
  }

  /** The escaped path. */
  String path() {
    return new Place(directory, name).path();
  }

  /** Writes a block and records it in the journal. */
  void writeBlock(ByteBuf bytes, long offset, int crc) throws FdtException {
    PendingFile file = pending();
    // Most file systems admit one writer per file at a time; others would spin in the kernel.
    synchronized (turn) {
      if (entry.metadata().sparse()) {
        SparseWriter.write(file, bytes, offset);
      } else {
        file.write(bytes, offset);
      }
    }
    if (isJournaled()) {
      file.keep(new CheckedRange(offset, offset + bytes.readableBytes(), crc));
    }
  }

  /**
   * Compares pieces with the base, and writes those with equal strong hashes. The bytes that are
   * hashed are those that are written, whatever happens to the base.
   *
   * @param equal receives the ranges with equal hashes
   * @throws FdtException a write has failed
   */
  void matchBase(HashedPieces hashes, PieceHasher hasher, List<FoundRange> equal)
      throws FdtException {
    base.match(
        hashes,
        hasher,
        (bytes, range, shift) -> {
          int crc = hashes.strong() ? Crc32c.of(bytes, 0, bytes.readableBytes()) : 0;
          if (hashes.strong()) {
            writeBlock(bytes, range.start(), crc);
          }
          equal.add(new FoundRange(new CheckedRange(range.start(), range.end(), crc), shift));
        });
  }

  /** The file in which bytes of this one are looked for; null for none. */
  BaseFile base() {
    return base;
  }

  /**
   * Allows data nodes to write the file, too.
   *
   * @return the place of the file in the exports; empty when only this end can write it
   */
  Optional<SharedFile.Shared> share() throws FdtException {
    if (!isJournaled() || entry.metadata().sparse()) {
      return Optional.empty();
    }
    return pending() instanceof SharedFile file ? Optional.of(file.share()) : Optional.empty();
  }

  /** Records in the journal that a data node has written a block. */
  void note(long offset, int length, int crc) throws FdtException {
    pending().keep(new CheckedRange(offset, offset + length, crc));
  }

  /** Makes holes and records them in the journal. */
  void makeHoles(List<Range> holes) throws FdtException {
    PendingFile file = pending();
    for (Range hole : holes) {
      file.makeHole(hole);
      if (isJournaled()) {
        file.keep(new CheckedRange(hole.start(), hole.end(), Crc32cCombine.ofZeros(hole.length())));
      }
    }
  }

  /**
   * Writes all of a small file and gives it its final name, if a fast path exists. A concurrent
   * close waits.
   *
   * @return false without a fast path
   */
  synchronized boolean put(ByteBuf bytes) throws FdtException {
    checkOpen();
    closed =
        pending == null
            && directory.put(name, bytes, entry.mode(), entry.modified(), entry.metadata());
    return closed;
  }

  /** Writes all of a small file, without a journal. */
  void writeWhole(ByteBuf bytes) throws FdtException {
    if (bytes.isReadable()) {
      pending().write(bytes, 0);
    }
  }

  /** Reads written bytes; fewer than {@code length} bytes only at the end of the file. */
  int read(ByteBuf target, int length, long offset) throws FdtException {
    return pending().read(target, length, offset);
  }

  /** See {@link PendingFile#forget}. */
  void forget(LongConsumer forced) throws FdtException {
    pending().forget(forced);
  }

  /**
   * Makes this another name of a file that has its first name.
   *
   * @return false at the maximum number of links
   */
  boolean linkTo(Place first, long bytes) throws FdtException {
    return directory.makeHardLink(name, first.directory(), first.name(), bytes);
  }

  /** Whether a file at the destination counts as unchanged by the default rule. */
  boolean isThere() throws FdtException {
    Optional<Attributes> found = directory.find(name);
    return found.isPresent()
        && SyncRule.DEFAULT.keeps(
            entry, found.get().kind().orElse(null), found.get().size(), found.get().modified());
  }

  /** Copies the bytes of another file at the destination; publishing follows. */
  void copy(Place from) throws FdtException {
    DestinationDirectory holder = from.directory();
    Optional<Attributes> seen = holder.find(from.name());
    if (seen.isEmpty()) {
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED,
          "'%s' vanished before '%s' could be copied from it: run the command again"
              .formatted(from.path(), path()));
    }
    ByteBuf chunk = Unpooled.directBuffer(COPIED_BYTES, COPIED_BYTES);
    try (ExistingFile source = holder.openExisting(from.name(), seen.get())) {
      long at = 0;
      while (at < size && source.read(chunk.clear(), COPIED_BYTES, at) > 0) {
        if (entry.metadata().sparse()) {
          SparseWriter.write(pending(), chunk, at);
        } else {
          pending().write(chunk, at);
        }
        at += chunk.readableBytes();
      }
      if (at != size) {
        throw new FdtException(
            ErrorCode.SOURCE_CHANGED,
            "'%s' has changed while it was copied to '%s': run the command again"
                .formatted(from.path(), path()));
      }
    } finally {
      chunk.release();
    }
  }

  Place place() {
    return new Place(directory, name);
  }

  /** Attributes that could not be set when it was published. */
  List<FdtException> warnings() {
    return warnings;
  }

  private void addMetadataWarning(FdtException warning) {
    List<FdtException> more = new ArrayList<>(warnings);
    more.add(warning);
    warnings = List.copyOf(more);
  }

  /** Gives the file its final name. */
  void publish(Durability durability) throws FdtException {
    pending().attach(entry.metadata(), this::addMetadataWarning);
    pending().publish(entry.mode(), entry.modified(), durability);
    close();
  }

  private boolean isJournaled() {
    return entry.size() >= directory.journaledBytes();
  }

  private synchronized PendingFile pending() throws FdtException {
    checkOpen();
    if (pending == null) {
      pending = directory.create(name, shape());
    }
    return pending;
  }

  private void checkOpen() throws FdtException {
    if (closed) {
      throw new FdtException(ErrorCode.CANCELLED, path() + ": given up");
    }
  }

  private FileShape shape() {
    return new FileShape(
        entry.metadata().sizeUnknown() ? FileShape.UNKNOWN_SIZE : entry.size(),
        entry.metadata().sparse(),
        isJournaled() ? SourceVersion.of(entry) : null,
        kept,
        new FileShape.Attributes(entry.mode(), entry.modified(), entry.metadata()),
        false);
  }

  /** Releases its resources. A file with a journal is kept for the next transfer. Idempotent. */
  synchronized void close() {
    closed = true;
    closeBase();
    if (pending != null) {
      pending.close();
      pending = null;
    }
  }

  /** Releases its resources, and removes the partial file. Idempotent. */
  synchronized void discard() {
    closed = true;
    closeBase();
    if (pending != null) {
      pending.discard();
      pending = null;
    }
  }

  private void closeBase() {
    if (base != null) {
      base.close();
    }
  }
}
