package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.zip.CRC32C;

/**
 * A queue of bytes on a disk: pieces are appended to the last of its files and taken from the
 * first. A file is left when all of it was taken. Where pieces lie, and their checksums, is known
 * in memory only. A file is open while it is written to or read from, and no longer: a large queue
 * has many files.
 *
 * <pre>
 *   next() <-- [ taken | piece | piece ] [ piece | ... ] <-- append()
 * </pre>
 *
 * <p>Blocks. Not thread-safe.
 */
final class SpoolLog {
  /** What lies on the disk besides what waits is at most this: the taken part of the first file. */
  static final int FILE_BYTES = 8 << 20;

  /** Of one piece, which is in memory whole when it is read. */
  static final int MOST_PIECE = 256 << 10;

  private record Piece(SpoolSegment segment, long offset, int length, int crc) {}

  private final SpoolChain files;
  private final Deque<Piece> pieces = new ArrayDeque<>();

  /** Those with pieces that have not been taken, and pieces of the first one that have. */
  private final Deque<SpoolSegment> segments = new ArrayDeque<>();

  /** Where in the stream of bytes those end that were appended. */
  private long end;

  SpoolLog(SpoolChain files) {
    this.files = files;
  }

  boolean isEmpty() {
    return pieces.isEmpty();
  }

  /** What its files take that have not been taken. */
  long fileBytes() {
    return segments.stream().mapToLong(SpoolSegment::length).sum();
  }

  /**
   * Appends bytes, which stay the caller's.
   *
   * @throws IOException nothing was appended
   */
  void append(PassingBytes passing) throws IOException {
    ByteBuf bytes = passing.bytes();
    if (!bytes.isReadable()) {
      return;
    }
    SpoolSegment last = segments.peekLast();
    boolean isFull = last == null || last.length() >= FILE_BYTES;
    SpoolSegment segment =
        isFull ? files.next(passing.firstFrame(), passing.position() == end) : last;
    long offset = segment.length();
    try {
      segment.append(bytes.nioBuffer());
    } catch (IOException e) {
      if (isFull) {
        files.failed(segment);
      }
      throw e;
    }
    files.written(segment);
    end = passing.position() + bytes.readableBytes();
    if (isFull) {
      segments.add(segment);
    }
    for (int at = 0; at < bytes.readableBytes(); at += MOST_PIECE) {
      int length = Math.min(MOST_PIECE, bytes.readableBytes() - at);
      int crc = crc(bytes.nioBuffer(bytes.readerIndex() + at, length));
      pieces.add(new Piece(segment, offset + at, length, crc));
    }
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  /**
   * The next piece, which the caller releases.
   *
   * @throws FdtException IO: it cannot be read, or is not what was written
   */
  ByteBuf next(ByteBufAllocator allocator) throws FdtException {
    Piece piece = pieces.remove();
    ByteBuf bytes = allocator.directBuffer(piece.length(), piece.length());
    try {
      read(piece, bytes);
      Piece following = pieces.peek();
      if (following == null || following.segment() != piece.segment()) {
        files.taken(segments.remove());
      }
      return bytes;
    } catch (FdtException | RuntimeException | Error e) {
      bytes.release();
      throw e;
    } catch (IOException e) {
      bytes.release();
      throw new FdtException(
          ErrorCode.IO,
          "cannot read '%s' in the spool: %s".formatted(piece.segment().path(), IoReason.of(e)),
          e);
    }
  }

  private static void read(Piece piece, ByteBuf bytes) throws IOException, FdtException {
    ByteBuffer into = bytes.nioBuffer(0, piece.length());
    long offset = piece.offset();
    try (FileChannel channel = FileChannel.open(piece.segment().path(), StandardOpenOption.READ)) {
      while (into.hasRemaining()) {
        int count = channel.read(into, offset);
        if (count < 0) {
          throw damaged(piece);
        }
        offset += count;
      }
    }
    if (crc(into.flip()) != piece.crc()) {
      throw damaged(piece);
    }
    bytes.writerIndex(piece.length());
  }

  private static FdtException damaged(Piece piece) {
    return new FdtException(
        ErrorCode.IO,
        "'%s' in the spool is damaged at byte %d: check the disk of the spool"
            .formatted(piece.segment().path(), piece.offset()));
  }

  /** Removes what was taken and has been left for others, but so many bytes. */
  void trim(long most) throws IOException {
    files.trim(most);
  }

  /** Removes its files, or leaves those for others that these can use. */
  void close(boolean leaves) throws IOException {
    pieces.clear();
    IOException first = null;
    for (SpoolSegment segment = segments.poll(); segment != null; segment = segments.poll()) {
      try {
        if (leaves) {
          files.leave(segment);
        } else {
          files.remove(segment);
        }
      } catch (IOException e) {
        first = first == null ? e : first;
      }
    }
    if (!leaves) {
      files.trim(0);
    }
    if (first != null) {
      throw first;
    }
  }
}
