package io.fdt.server.spool;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;

/**
 * A file of sorted numbers, 8 bytes each, with an in-memory index of every 512th number: a lookup
 * costs one read of 4 KiB.
 *
 * <p>Memory: 256 KiB for 16,777,216 numbers. Thread-safe.
 */
final class SortedMarks {
  private static final int BLOCK = 512;

  /** Numbers that are sorted in memory at once: 8 MiB. */
  private static final int SORTED_AT_ONCE = 1 << 20;

  /** Buckets by the upper 16 bits, which hashes fill evenly. */
  private static final int BUCKETS = 1 << 16;

  private final Path file;
  private final long count;
  private final long[] firsts;

  private SortedMarks(Path file, long count, long[] firsts) {
    this.file = file;
    this.count = count;
    this.firsts = firsts;
  }

  /**
   * Opens a file, and sorts it if unsorted. One call at a time for a file. Blocks.
   *
   * @param scratch a temporary file that replaces the unsorted one; overwritten if it exists
   */
  static SortedMarks open(Path file, Path scratch) throws IOException {
    return open(file, scratch, SORTED_AT_ONCE);
  }

  /** Opens a file with another number of marks sorted in memory at once. */
  static SortedMarks open(Path file, Path scratch, int atOnce) throws IOException {
    SortedMarks marks = index(file);
    if (marks == null) {
      sort(file, scratch, atOnce);
      marks = index(file);
    }
    if (marks == null) {
      throw new IOException("it changes while it is read");
    }
    return marks;
  }

  /** The index of a sorted file; null for an unsorted one. */
  private static SortedMarks index(Path file) throws IOException {
    long[] firsts = new long[64];
    int blocks = 0;
    long count = 0;
    long last = Long.MIN_VALUE;
    try (Marks all = new Marks(file)) {
      while (all.next()) {
        if (all.mark < last) {
          return null;
        }
        if (count++ % BLOCK == 0) {
          firsts = blocks == firsts.length ? Arrays.copyOf(firsts, 2 * blocks) : firsts;
          firsts[blocks++] = all.mark;
        }
        last = all.mark;
      }
    } catch (NoSuchFileException e) {
      return new SortedMarks(file, 0, new long[0]);
    }
    return new SortedMarks(file, count, Arrays.copyOf(firsts, blocks));
  }

  /** Sorts the file: reads it once for each million numbers, and selects the next ones in order. */
  private static void sort(Path file, Path scratch, int atOnce) throws IOException {
    int[] sizes = new int[BUCKETS];
    try (Marks all = new Marks(file)) {
      while (all.next()) {
        sizes[bucket(all.mark)]++;
      }
    }
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(scratch), 1 << 16))) {
      for (int from = 0; from < BUCKETS; ) {
        int to = from;
        int size = 0;
        while (to < BUCKETS && (to == from || size + sizes[to] <= atOnce)) {
          size += sizes[to++];
        }
        for (long mark : sorted(file, from, to, size)) {
          out.writeLong(mark);
        }
        from = to;
      }
    }
    Files.move(scratch, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static long[] sorted(Path file, int fromBucket, int toBucket, int size)
      throws IOException {
    long[] marks = new long[size];
    int count = 0;
    try (Marks all = new Marks(file)) {
      while (count < size && all.next()) {
        int bucket = bucket(all.mark);
        if (bucket >= fromBucket && bucket < toBucket) {
          marks[count++] = all.mark;
        }
      }
    }
    Arrays.sort(marks);
    return marks;
  }

  private static int bucket(long mark) {
    return (int) (mark >> 48) + BUCKETS / 2;
  }

  /** Whether a number is in the file. Blocks. */
  boolean has(long mark) throws IOException {
    int found = Arrays.binarySearch(firsts, mark);
    if (found >= 0) {
      return true;
    }
    int block = -found - 2;
    if (block < 0) {
      return false;
    }
    long start = (long) block * BLOCK;
    byte[] bytes = new byte[Math.toIntExact(Math.min(BLOCK, count - start)) * Long.BYTES];
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(start * Long.BYTES);
      in.readFully(bytes);
    }
    long[] marks = new long[bytes.length / Long.BYTES];
    ByteBuffer.wrap(bytes).asLongBuffer().get(marks);
    return Arrays.binarySearch(marks, mark) >= 0;
  }

  /** Iterates over the numbers of a file; ignores an incomplete last one. */
  private static final class Marks implements AutoCloseable {
    private final InputStream in;
    private final byte[] read = new byte[1 << 16];
    private ByteBuffer left = ByteBuffer.allocate(0);
    private long mark;

    Marks(Path file) throws IOException {
      in = Files.newInputStream(file);
    }

    boolean next() throws IOException {
      if (left.remaining() < Long.BYTES) {
        left = ByteBuffer.wrap(read, 0, in.readNBytes(read, 0, read.length));
      }
      if (left.remaining() < Long.BYTES) {
        return false;
      }
      mark = left.getLong();
      return true;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
