package io.fdt.server.spool;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * A queue of bytes on a disk: pieces are appended to the last of its files and taken from the
 * first. A file is removed when all of it was taken. The positions of pieces, and their checksums,
 * are only in memory: the files of a dead process are useless. A file is open only during a write
 * or read, because a large queue has many files.
 *
 * <pre>
 *   next() <-- [ taken | piece | piece ] [ piece | ... ] <-- append()
 * </pre>
 *
 * <p>Blocks. Not thread-safe.
 */
final class SpoolLog implements AutoCloseable {
  /** Size of a file; at most this much of the disk holds bytes that were already taken. */
  static final int FILE_BYTES = 8 << 20;

  /** Longest piece; a reader holds a whole piece in memory. */
  static final int MOST_PIECE = 256 << 10;

  private static final class Segment {
    private final Path path;
    private long written;
    private int pieces;

    Segment(Path path) {
      this.path = path;
    }

    /** Appends bytes, all of them or none. */
    void write(ByteBuffer bytes) throws IOException {
      boolean isNew = written == 0;
      try (FileChannel channel =
          FileChannel.open(
              path,
              isNew ? StandardOpenOption.CREATE_NEW : StandardOpenOption.WRITE,
              StandardOpenOption.WRITE)) {
        write(channel, bytes);
      } catch (FileAlreadyExistsException e) {
        throw e; // it is not ours
      } catch (IOException e) {
        if (isNew) {
          remove();
        }
        throw e;
      }
    }

    private void write(FileChannel channel, ByteBuffer bytes) throws IOException {
      long offset = written;
      while (bytes.hasRemaining()) {
        offset += channel.write(bytes, offset);
      }
    }

    void remove() throws IOException {
      Files.deleteIfExists(path);
    }
  }

  private record Piece(Segment segment, long offset, int length, int crc) {}

  private final Supplier<Path> names;
  private final Deque<Piece> pieces = new ArrayDeque<>();
  private final Deque<Segment> segments = new ArrayDeque<>();

  /**
   * @param names of files that do not exist
   */
  SpoolLog(Supplier<Path> names) {
    this.names = names;
  }

  boolean isEmpty() {
    return pieces.isEmpty();
  }

  /** Bytes of its files. */
  long fileBytes() {
    return segments.stream().mapToLong(segment -> segment.written).sum();
  }

  /**
   * Appends bytes, which the caller still owns.
   *
   * @throws IOException nothing was appended
   */
  void append(ByteBuf bytes) throws IOException {
    if (!bytes.isReadable()) {
      return;
    }
    Segment last = segments.peekLast();
    boolean isFull = last == null || last.written >= FILE_BYTES;
    Segment segment = isFull ? new Segment(names.get()) : last;
    segment.write(bytes.nioBuffer());
    if (isFull) {
      segments.add(segment);
    }
    int at = bytes.readerIndex();
    for (int end = bytes.writerIndex(); at < end; at += MOST_PIECE) {
      int length = Math.min(MOST_PIECE, end - at);
      pieces.add(new Piece(segment, segment.written, length, crc(bytes.nioBuffer(at, length))));
      segment.written += length;
      segment.pieces++;
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
   * @throws FdtException IO: the piece cannot be read, or differs from the written one
   */
  ByteBuf next(ByteBufAllocator allocator) throws FdtException {
    Piece piece = pieces.remove();
    ByteBuf bytes = allocator.directBuffer(piece.length(), piece.length());
    try {
      read(piece, bytes);
      if (--piece.segment().pieces == 0 && piece.segment() == segments.peekFirst()) {
        segments.remove().remove();
      }
      return bytes;
    } catch (FdtException | RuntimeException | Error e) {
      bytes.release();
      throw e;
    } catch (IOException e) {
      bytes.release();
      throw new FdtException(
          ErrorCode.IO,
          "cannot read '%s' in the spool: %s".formatted(piece.segment().path, IoReason.of(e)),
          e);
    }
  }

  private static void read(Piece piece, ByteBuf bytes) throws IOException, FdtException {
    ByteBuffer into = bytes.nioBuffer(0, piece.length());
    long offset = piece.offset();
    try (FileChannel channel = FileChannel.open(piece.segment().path, StandardOpenOption.READ)) {
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
            .formatted(piece.segment().path, piece.offset()));
  }

  /** Removes the files of the queue. */
  @Override
  public void close() throws IOException {
    pieces.clear();
    IOException first = null;
    for (Segment segment = segments.poll(); segment != null; segment = segments.poll()) {
      try {
        segment.remove();
      } catch (IOException e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
