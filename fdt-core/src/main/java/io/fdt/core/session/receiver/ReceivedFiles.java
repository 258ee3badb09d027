package io.fdt.core.session.receiver;

import io.fdt.core.digest.DigestMethod;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import io.fdt.core.model.Range;
import io.fdt.core.session.HoleRules;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.control.FileEnd;
import io.fdt.core.wire.control.FileHoles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The files of a receiver whose outcome is open, and the received ranges of each. An invalid
 * message throws PROTOCOL.
 *
 * <p>Not thread-safe: confined to its {@link ReceiverMachine}.
 *
 * @param <F> the writer of a file
 */
final class ReceivedFiles<F> {
  /**
   * The most pieces of one file: a correct sender has only as many blocks in flight as its streams
   * and buffers hold. Memory: 32 bytes each.
   */
  private static final int MAX_PIECES = 1 << 16;

  /** The most pieces of all files together. */
  private static final int MAX_PIECES_OF_ALL = 1 << 20;

  /** The largest size of a stream: no file system has larger files. */
  private static final long MAX_STREAM_BYTES = 1L << 60;

  private final DigestMethod method;
  private final long streamWindow;
  private final Map<Long, IncomingFile<F>> open = new HashMap<>();
  private long lastId;
  private int openWeight;
  private int pieces;
  private long bytesWanted;
  private long bytesKept;
  private long bytesMatched;
  private long bytesWritten;
  private long seen;

  /**
   * @param streamWindow the most bytes between the first unwritten byte of a file of unknown size
   *     and the last one that may arrive
   */
  ReceivedFiles(DigestMethod method, long streamWindow) {
    this.method = method;
    this.streamWindow = streamWindow;
  }

  /** Adds the next entry of the manifest. */
  void add(Entry entry) throws FdtException {
    int weight = entry.metadata().weight();
    if (openWeight + weight > ReceiverMachine.WINDOW) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "more than " + ReceiverMachine.WINDOW + " entries whose outcome is open");
    }
    lastId = entry.id();
    openWeight += weight;
    switch (entry.kind()) {
      case FILE -> {
        seen++;
        open.put(entry.id(), new IncomingFile<>(entry, method));
      }
      case DIRECTORY, SYMLINK -> {}
    }
  }

  /** Removes an entry from the window. */
  void removeWeight(Entry entry) {
    openWeight -= entry.metadata().weight();
  }

  long lastId() {
    return lastId;
  }

  /** The file of this id while its outcome is open; null otherwise. */
  IncomingFile<F> file(long id) {
    return open.get(id);
  }

  Iterable<IncomingFile<F>> all() {
    return open.values();
  }

  /**
   * Keeps ranges of a file that an earlier transfer wrote; the rest is wanted.
   *
   * @return the ranges that need not be sent
   */
  List<Range> keep(IncomingFile<F> file, List<CheckedRange> written) {
    List<Range> kept = file.keep(written);
    if (!kept.isEmpty()) {
      pieces += file.pieces();
    }
    bytesWanted += file.size() - file.keptBytes();
    bytesKept += file.resumedBytes();
    return kept;
  }

  /** Makes the file another name of a transferred or existing one. */
  void link(IncomingFile<F> file) {
    file.link();
    pieces += file.pieces();
  }

  /**
   * Claims an intact block.
   *
   * @return the file to write it to; null when the block is not needed
   */
  IncomingFile<F> takeBlock(long id, long offset, int length) throws FdtException {
    IncomingFile<F> file = wanted(id);
    if (file == null) {
      return null;
    }
    long end = offset + length;
    if (length == 0
        || end > mostEnd(file)
        || !method.isCutAt(offset, file.size())
        || !method.isCutAt(end, file.size())) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "block %d+%d of file %d, which has %d bytes".formatted(offset, length, id, file.size()));
    }
    if (file.hasTaken(offset, end)) {
      return null;
    }
    int before = file.pieces();
    boolean isNew = file.take(offset, end);
    pieces += file.pieces() - before;
    checkPieces(file);
    bytesWanted += file.growTo(end);
    if (!isNew) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "block %d+%d of file %d, of which a part came before".formatted(offset, length, id));
    }
    return file;
  }

  /** Claims a range that is compared with another version of the file. */
  void take(IncomingFile<F> file, long start, long end) throws FdtException {
    int before = file.pieces();
    boolean isNew = file.take(start, end);
    pieces += file.pieces() - before;
    if (!isNew) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "hashes of %d to %d of file %d, of which a part came before"
              .formatted(start, end, file.id()));
    }
  }

  /** Keeps a claimed range whose bytes were in another version of the file. */
  void matched(IncomingFile<F> file, CheckedRange range) {
    file.matched(range);
    bytesWanted -= range.length();
    bytesMatched += range.length();
  }

  /**
   * Handles a repeated block whose first copy is being written. The block is acknowledged after
   * that, because the first copy may still be lost with its data node.
   *
   * @return false when the block is written or no longer needed
   */
  boolean waitFor(int stream, FrameHeader header) throws FdtException {
    IncomingFile<F> file = open.get(header.fileId());
    if (file == null || file.hasWritten(header.offset(), header.offset() + header.length())) {
      return false;
    }
    if (!file.duplicates()
        .add(new DuplicateBlocks.Copy(header.offset(), stream, header.number()))) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "the same block of file " + file.id() + " came too often");
    }
    return true;
  }

  /** Releases a claimed block that was lost before it was written, so that it may arrive again. */
  void giveBack(IncomingFile<F> file, long offset, long length) {
    if (open.get(file.id()) == file) {
      int before = file.pieces();
      file.giveBack(offset, offset + length);
      pieces += file.pieces() - before;
    }
  }

  /** The last offset at which a block may end. */
  private long mostEnd(IncomingFile<F> file) {
    return file.isGrowing() ? file.writtenPrefix() + streamWindow : file.size();
  }

  /** Claims a whole small file, like {@link #takeBlock}. */
  IncomingFile<F> takeWhole(long id, int size) throws FdtException {
    IncomingFile<F> file = wanted(id);
    if (file == null || file.state() == IncomingFile.State.STORING) {
      return null;
    }
    if (size != file.size() || file.isGrowing()) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "%d bytes for file %d, which has %d".formatted(size, id, file.size()));
    }
    int before = file.pieces();
    if (!file.take(0, size)) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "file %d comes whole after a part of it".formatted(id));
    }
    pieces += file.pieces() - before;
    file.moveTo(IncomingFile.State.STORING);
    return file;
  }

  /** Claims the holes of {@code message}; returns them. */
  List<Range> takeHoles(IncomingFile<F> file, FileHoles message) throws FdtException {
    List<Range> holes = HoleRules.checked(message, file.size(), method);
    int before = file.pieces();
    if (!file.entry().metadata().sparse()
        || file.state() != IncomingFile.State.WANTED
        || !file.takeHoles(holes)) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "holes of file " + file.id() + ", which cannot have them");
    }
    pieces += file.pieces() - before;
    checkPieces(file);
    for (Range hole : holes) {
      bytesWanted -= hole.length();
    }
    return holes;
  }

  private void checkPieces(IncomingFile<F> file) throws FdtException {
    if (file.pieces() > MAX_PIECES || pieces > MAX_PIECES_OF_ALL) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "file %d in %d pieces, all in %d".formatted(file.id(), file.pieces(), pieces));
    }
  }

  /** The file that data may arrive for; null when its outcome is known. */
  IncomingFile<F> wanted(long id) throws FdtException {
    if (id < 1 || id > lastId) {
      throw new FdtException(ErrorCode.PROTOCOL, "data of unknown entry " + id);
    }
    IncomingFile<F> file = open.get(id);
    if (file != null && file.state().isBeforeData()) {
      throw new FdtException(ErrorCode.PROTOCOL, "data of entry " + id + " before its decision");
    }
    return file;
  }

  /** The file that the sender has read to the end or given up; null when its outcome is known. */
  IncomingFile<F> ended(FileEnd end) throws FdtException {
    if (end.getId() < 1 || end.getId() > lastId) {
      throw new FdtException(ErrorCode.PROTOCOL, "end of unknown entry " + end.getId());
    }
    IncomingFile<F> file = open.get(end.getId());
    if (file == null || file.state() == IncomingFile.State.STORING) {
      return null;
    }
    if (file.state() == IncomingFile.State.PREPARING) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "end of entry " + end.getId() + " before its decision");
    }
    return file;
  }

  /** Handles the sender's message about the end of a file. */
  void end(IncomingFile<F> file, FileEnd end) throws FdtException {
    if (file.isGrowing()) {
      if (end.getSize() < file.size() || end.getSize() > MAX_STREAM_BYTES) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "file %d ends at %s, and has bytes up to %d"
                .formatted(file.id(), Long.toUnsignedString(end.getSize()), file.size()));
      }
      bytesWanted += file.growTo(end.getSize());
    }
    file.end(end);
  }

  void wrote(long bytes) {
    bytesWritten += bytes;
  }

  /** Records that the rest of a file will not arrive. */
  void unwant(IncomingFile<F> file, ErrorCode failure) {
    bytesWanted -= file.size() - file.keptBytes();
    bytesKept -= failure.isWorthContinuing() ? 0 : file.resumedBytes();
  }

  /** Records that the outcome of a file is known. */
  void settle(IncomingFile<F> file) {
    file.moveTo(IncomingFile.State.SETTLED);
    pieces -= file.pieces();
    open.remove(file.id());
    removeWeight(file.entry());
  }

  /** Bytes of files requested from the sender. */
  long bytesWanted() {
    return bytesWanted;
  }

  /** Bytes that earlier transfers had written. */
  long bytesKept() {
    return bytesKept;
  }

  /** Bytes that were in other versions of the files. */
  long bytesMatched() {
    return bytesMatched;
  }

  long bytesWritten() {
    return bytesWritten;
  }

  /** Files of the manifest so far. */
  long seen() {
    return seen;
  }
}
