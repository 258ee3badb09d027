package io.fdt.core.receive.delta;

import io.fdt.core.digest.PieceHasher;
import io.fdt.core.digest.PieceSearch;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.model.RangeSet;
import io.fdt.core.session.receiver.HashedPieces;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.ExistingFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/**
 * A file at the destination in which the bytes of another version are looked for.
 *
 * <p>It may change or vanish at any time, and has no equal bytes then. Thread-safe.
 */
public final class BaseFile implements AutoCloseable {
  /** Bytes of the file that are searched at a time. */
  private static final int SEARCHED = 1 << 20;

  /** Takes ranges with equal hashes. */
  public interface Found {
    /**
     * Takes a range.
     *
     * @param bytes those of the range, until this returns
     * @param shift offset of the bytes in the base minus the start of the range
     */
    void accept(ByteBuf bytes, Range range, long shift) throws FdtException;
  }

  private final DestinationDirectory directory;
  private final FileName name;

  /** The file when it was found. */
  private final Attributes seen;

  /** Null while nothing of it is read. */
  private ExistingFile file;

  private int users;
  private boolean closed;

  public BaseFile(DestinationDirectory directory, FileName name, Attributes seen) {
    this.directory = directory;
    this.name = name;
    this.seen = seen;
  }

  /** Bytes of the file. */
  public long size() {
    return seen.size();
  }

  /**
   * Compares pieces with those of this file, at one shift after another.
   *
   * @throws FdtException of {@code found}
   */
  public void match(HashedPieces hashes, PieceHasher hasher, Found found) throws FdtException {
    RangeSet different = new RangeSet();
    different.add(hashes.range().start(), hashes.range().end());
    Found remove =
        (bytes, range, shift) -> {
          found.accept(bytes, range, shift);
          different.remove(range.start(), range.end());
        };
    for (long shift : hashes.shifts()) {
      for (Range range : different.ranges()) {
        match(hashes.part(range), shift, hasher, remove);
      }
    }
  }

  private void match(HashedPieces hashes, long shift, PieceHasher hasher, Found found)
      throws FdtException {
    int piece = hashes.piece();
    long before = Math.max(0, -(hashes.range().start() + shift)); // pieces before the start
    long offset = hashes.range().start() + (before + piece - 1) / piece * piece;
    if (offset >= hashes.range().end()) {
      return;
    }
    HashedPieces inside = hashes.part(new Range(offset, hashes.range().end()));
    int length = Math.toIntExact(inside.range().length());
    ByteBuf bytes = Unpooled.directBuffer(length, length);
    try {
      int read = read(bytes, length, offset + shift);
      int whole = read == length ? length : read - read % piece;
      byte[] own = hasher.hashes(bytes, 0, whole, piece, hashes.strong());
      int start = 0;
      while (start < whole) {
        int end = start;
        while (end < whole && inside.isEqual(end / piece, own)) {
          end = Math.min(whole, end + piece);
        }
        if (start < end) {
          Range range = new Range(offset + start, offset + end);
          found.accept(bytes.slice(start, end - start), range, shift);
          start = end;
        } else {
          start = Math.min(whole, start + piece);
        }
      }
    } finally {
      bytes.release();
    }
  }

  /**
   * Searches for any of some pieces, from the centre outwards.
   *
   * @param centre offset in this file
   * @param reach bytes that are searched at most
   * @param searched receives the number of bytes that were searched, again and again
   * @return how far some pieces have moved; empty when none is found
   */
  public OptionalLong search(
      List<HashedPieces> pieces, long centre, long reach, LongConsumer searched) {
    PieceSearch search = searchFor(pieces);
    long blocks = (size() + SEARCHED - 1) / SEARCHED;
    long middle = Math.max(0, Math.min(size() - 1, centre)) / SEARCHED;
    byte[] bytes = new byte[SEARCHED + PieceSearch.PAIR - 1];
    ByteBuf buffer = Unpooled.directBuffer(bytes.length, bytes.length);
    try {
      long left = Math.min(blocks, reach / SEARCHED);
      for (long step = 0; left > 0; step++) {
        long block = step % 2 == 0 ? middle - step / 2 : middle + step / 2 + 1;
        if (block >= 0 && block < blocks) {
          left--;
          int read = read(buffer.clear(), bytes.length, block * SEARCHED);
          buffer.readBytes(bytes, 0, read);
          searched.accept(Math.min(read, SEARCHED));
          OptionalLong found = search.find(bytes, read, block * SEARCHED);
          if (found.isPresent() || read == 0) {
            return found;
          }
        }
      }
      return OptionalLong.empty();
    } finally {
      buffer.release();
    }
  }

  private static PieceSearch searchFor(List<HashedPieces> all) {
    PieceSearch search =
        new PieceSearch(all.stream().mapToInt(one -> one.hashes().size() / Integer.BYTES).sum());
    for (HashedPieces one : all) {
      ByteBuffer hashes = one.hashes().asReadOnlyByteBuffer();
      long offset = one.range().start();
      int hash = hashes.getInt();
      while (hashes.hasRemaining()) {
        int next = hashes.getInt();
        if (offset + PieceSearch.PAIR <= one.range().end()) {
          search.add(offset, hash, next);
        }
        hash = next;
        offset += one.piece();
      }
    }
    return search;
  }

  /** Reads as much as there is; 0 when the file cannot be read. */
  private int read(ByteBuf target, int length, long offset) {
    try {
      ExistingFile open = acquire();
      try {
        int read = 0;
        int more;
        do {
          more = open.read(target, length - read, offset + read);
          read += more;
        } while (more > 0 && read < length);
        return read;
      } finally {
        release();
      }
    } catch (FdtException e) {
      return 0; // replaced or removed meanwhile, or not readable: all of it is sent
    }
  }

  private synchronized ExistingFile acquire() throws FdtException {
    if (closed) {
      throw new FdtException(ErrorCode.CANCELLED, name + ": given up");
    }
    if (file == null) {
      file = directory.openExisting(name, seen);
    }
    users++;
    return file;
  }

  /** Closes it when nothing of it is read: many files may wait for their last blocks. */
  private synchronized void release() {
    if (--users == 0) {
      closeFile();
    }
  }

  private void closeFile() {
    if (file != null) {
      file.close();
      file = null;
    }
  }

  /** Releases the file. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    closeFile();
  }
}
