package io.fdt.server.spool;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.wire.SessionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The digests of received files in the spool, for comparison at the delivery: {@code
 * records/PLACE.digests} has 8 bytes for each file, derived from its size and digest. Memory: 8 KiB
 * for each place that is filled, 256 KiB for each that is delivered, and 8 MiB while one is sorted.
 * Thread-safe.
 */
public final class SpoolDigests {
  /** The most files of one place: 128 MiB of the spool. */
  static final int MOST_FILES = 1 << 24;

  /** Suffix of its file names. */
  static final String SUFFIX = ".digests";

  /** Suffix of a file while it is sorted. */
  private static final String SCRATCH = ".sorting";

  /** Marks that wait in memory for the disk. */
  private static final int BATCH = 1024;

  private final Spool spool;
  private final Consumer<SessionId> full;

  /** Digests to write. Guarded by itself; no thread holds it while it uses the disk. */
  private final Map<SessionId, ByteBuffer> fresh = new HashMap<>();

  /**
   * @param full called on any thread when marks of a place should be {@link #write written} soon
   */
  public SpoolDigests(Spool spool, Consumer<SessionId> full) {
    this.spool = spool;
    this.full = full;
  }

  /** The digests of one place. Thread-safe. */
  public final class Known {
    private final SortedMarks marks;

    private Known(SortedMarks marks) {
      this.marks = marks;
    }

    /**
     * Whether a file of this size and digest was received. Blocks.
     *
     * @throws FdtException the digests cannot be read
     */
    boolean has(long size, byte[] digest) throws FdtException {
      try {
        return marks.has(mark(size, digest));
      } catch (IOException e) {
        throw failed("read", e);
      }
    }
  }

  private static long mark(long size, byte[] digest) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(0, size));
      return ByteBuffer.wrap(sha256.digest(digest)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Adds a received file. No disk operation. */
  public void add(SessionId place, long size, byte[] digest) {
    boolean isFull;
    synchronized (fresh) {
      ByteBuffer marks = room(place, Long.BYTES);
      marks.putLong(mark(size, digest));
      isFull = marks.position() % (BATCH * Long.BYTES) == 0;
    }
    if (isFull) {
      full.accept(place);
    }
  }

  /** A buffer with room for more bytes; larger than usual if the disk is slow. */
  private ByteBuffer room(SessionId place, int bytes) {
    ByteBuffer marks = fresh.computeIfAbsent(place, any -> ByteBuffer.allocate(BATCH * Long.BYTES));
    if (marks.remaining() < bytes) {
      marks = ByteBuffer.allocate(2 * (marks.capacity() + bytes)).put(marks.flip());
      fresh.put(place, marks);
    }
    return marks;
  }

  /**
   * Writes the marks in memory. Blocks.
   *
   * @throws FdtException the marks stay in memory
   */
  public synchronized void write(SessionId place) throws FdtException {
    ByteBuffer marks;
    synchronized (fresh) {
      marks = fresh.remove(place);
    }
    if (marks == null) {
      return;
    }
    try (FileChannel file =
        FileChannel.open(file(place), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      append(file, marks.flip().duplicate());
    } catch (IOException e) {
      synchronized (fresh) {
        room(place, marks.remaining()).put(marks);
      }
      throw failed("write to", e);
    }
  }

  /** Appends after the last complete mark. */
  private static void append(FileChannel file, ByteBuffer marks) throws IOException {
    long end = file.size() - file.size() % Long.BYTES;
    while (marks.hasRemaining()) {
      end += file.write(marks, end);
    }
  }

  /**
   * Completes a place: makes its digests durable. Blocks.
   *
   * @throws FdtException they cannot be written, or there are too many of them
   */
  public void complete(SessionId place) throws FdtException {
    write(place);
    try (FileChannel file = FileChannel.open(file(place), StandardOpenOption.WRITE)) {
      if (file.size() > (long) MOST_FILES * Long.BYTES) {
        throw new FdtException(
            ErrorCode.STORAGE_FULL,
            "more than %d files at once: leave them with the relay in several commands"
                .formatted(MOST_FILES));
      }
      file.force(true);
    } catch (NoSuchFileException e) {
      return; // nothing but directories, links and files without bytes
    } catch (IOException e) {
      throw failed("write to", e);
    }
  }

  /** Reads the digests of a place. Blocks. */
  public synchronized Known read(SessionId place) throws FdtException {
    write(place);
    try {
      return new Known(SortedMarks.open(file(place), spool.record(place + SCRATCH)));
    } catch (IOException e) {
      throw failed("read", e);
    }
  }

  private List<SessionId> waiting() {
    synchronized (fresh) {
      return List.copyOf(fresh.keySet());
    }
  }

  private FdtException failed(String what, IOException e) {
    return new FdtException(
        ErrorCode.IO,
        "cannot %s the spool %s: %s".formatted(what, spool.directory(), HomeDirectory.reason(e)),
        e);
  }

  private Path file(SessionId place) {
    return spool.record(place + SUFFIX);
  }

  /** Writes the marks in memory, and removes those of removed places. Blocks. */
  public synchronized void sweep() throws FdtException {
    for (SessionId place : waiting()) {
      write(place);
    }
    spool.records(SCRATCH).forEach(spool::forget);
    for (String name : spool.records(SUFFIX)) {
      String place = name.substring(0, name.length() - SUFFIX.length());
      if (!spool.has(SessionId.of(HexFormat.of().parseHex(place)))) {
        spool.forget(name);
      }
    }
  }
}
