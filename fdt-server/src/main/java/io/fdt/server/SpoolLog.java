package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * A queue of bytes on a disk: pieces are appended to the last of its files and taken from the
 * first. A file goes when all of it was taken. Where pieces lie, and their checksums, is known in
 * memory only: nobody reads the files of a process that has died.
 *
 * <pre>
 *   next() <-- [ taken | piece | piece ] [ piece | ... ] <-- append()
 * </pre>
 *
 * <p>Blocks. Not thread-safe.
 */
final class SpoolLog implements AutoCloseable {
  /** What lies on the disk besides what waits is at most this: the taken part of the first file. */
  static final int FILE_BYTES = 8 << 20;

  /** Of one piece, which is in memory whole when it is read. */
  static final int MOST_PIECE = 256 << 10;

  private static final class Segment {
    private final Path path;
    private final FileChannel channel;
    private long written;
    private int pieces;

    Segment(Path path) throws IOException {
      this.path = path;
      this.channel =
          FileChannel.open(
              path,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
    }

    void remove() throws IOException {
      try (channel) {
        Files.deleteIfExists(path);
      }
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

  /** What its files take. */
  long fileBytes() {
    return segments.stream().mapToLong(segment -> segment.written).sum();
  }

  /**
   * Appends bytes, which stay the caller's.
   *
   * @throws IOException nothing was appended
   */
  void append(ByteBuf bytes) throws IOException {
    int at = bytes.readerIndex();
    for (int done = 0; done < bytes.readableBytes(); done += MOST_PIECE) {
      int length = Math.min(MOST_PIECE, bytes.readableBytes() - done);
      write(bytes.nioBuffer(at + done, length));
    }
  }

  private void write(ByteBuffer bytes) throws IOException {
    Segment last = segments.peekLast();
    if (last == null || last.written >= FILE_BYTES) {
      last = new Segment(names.get());
      segments.add(last);
    }
    Piece piece = new Piece(last, last.written, bytes.remaining(), crc(bytes));
    long offset = last.written;
    try {
      while (bytes.hasRemaining()) {
        offset += last.channel.write(bytes, offset);
      }
    } catch (IOException e) {
      if (last.pieces == 0) {
        segments.removeLast().remove();
      }
      throw e;
    }
    last.written = offset;
    last.pieces++;
    pieces.add(piece);
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
    while (into.hasRemaining()) {
      int count = piece.segment().channel.read(into, offset);
      if (count < 0) {
        throw damaged(piece);
      }
      offset += count;
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

  /** Removes its files. */
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
