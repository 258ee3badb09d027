import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/**
 * Copies a file by pread and pwrite, and by io_uring with registered buffers, in turn. Java 22 or
 * later, Linux on x86-64: {@code java --enable-native-access=ALL-UNNAMED FileRing.java MIB ROUNDS
 * DIRECTORY...}.
 */
final class FileRing implements AutoCloseable {
  private static final int MIB = 1 << 20;

  /** Blocks under way. */
  private static final int DEPTH = 8;

  private static final int SYS_CLOSE = 3;
  private static final int SYS_MMAP = 9;
  private static final int SYS_OPEN = 2;
  private static final int SYS_SETUP = 425;
  private static final int SYS_ENTER = 426;
  private static final int SYS_REGISTER = 427;
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_SHARED_POPULATE = 0x8001;
  private static final long OFFSET_OF_ENTRIES = 0x10000000L;
  private static final int ENTER_GETEVENTS = 1;
  private static final byte READ_FIXED = 4;
  private static final byte WRITE_FIXED = 5;

  /** struct io_uring_params, with the offsets of both rings. */
  private static final int PARAMS_BYTES = 120;

  private static final int SQ_OFFSETS = 40;
  private static final int CQ_OFFSETS = 80;
  private static final int ENTRY_BYTES = 64;

  private static final VarHandle INT = JAVA_INT.varHandle();
  private static final MethodHandle SYSCALL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("syscall").orElseThrow(),
              FunctionDescriptor.of(
                  JAVA_LONG,
                  JAVA_LONG,
                  JAVA_LONG,
                  JAVA_LONG,
                  JAVA_LONG,
                  JAVA_LONG,
                  JAVA_LONG,
                  JAVA_LONG),
              Linker.Option.firstVariadicArg(1));

  private final Arena arena = Arena.ofConfined();
  private final int ring;
  private final MemorySegment rings;
  private final MemorySegment entries;
  private final MemorySegment buffers;
  private final int sqTail;
  private final int sqMask;
  private final int sqArray;
  private final int cqHead;
  private final int cqTail;
  private final int cqMask;
  private final int cqEntries;

  private FileRing() throws IOException {
    MemorySegment params = arena.allocate(PARAMS_BYTES, 8);
    ring = (int) syscall(SYS_SETUP, 2 * DEPTH, params.address(), 0, 0, 0, 0);
    sqTail = params.get(JAVA_INT, SQ_OFFSETS + 4);
    int sqMaskAt = params.get(JAVA_INT, SQ_OFFSETS + 8);
    sqArray = params.get(JAVA_INT, SQ_OFFSETS + 24);
    cqHead = params.get(JAVA_INT, CQ_OFFSETS);
    cqTail = params.get(JAVA_INT, CQ_OFFSETS + 4);
    int cqMaskAt = params.get(JAVA_INT, CQ_OFFSETS + 8);
    cqEntries = params.get(JAVA_INT, CQ_OFFSETS + 20);
    int sqBytes = sqArray + params.get(JAVA_INT, 0) * Integer.BYTES;
    int cqBytes = cqEntries + params.get(JAVA_INT, 4) * 16;
    rings = map(Math.max(sqBytes, cqBytes), 0);
    entries = map(params.get(JAVA_INT, 0) * ENTRY_BYTES, OFFSET_OF_ENTRIES);
    sqMask = rings.get(JAVA_INT, sqMaskAt);
    cqMask = rings.get(JAVA_INT, cqMaskAt);
    buffers = arena.allocate((long) DEPTH * MIB, 4096);
    MemorySegment vectors = arena.allocate(DEPTH * 16L, 8);
    for (int i = 0; i < DEPTH; i++) {
      vectors.set(ADDRESS, i * 16L, buffers.asSlice((long) i * MIB, MIB));
      vectors.set(JAVA_LONG, i * 16L + 8, MIB);
    }
    syscall(SYS_REGISTER, ring, 0, vectors.address(), DEPTH, 0, 0);
  }

  private MemorySegment map(long bytes, long offset) throws IOException {
    long at = syscall(SYS_MMAP, 0, bytes, PROT_READ_WRITE, MAP_SHARED_POPULATE, ring, offset);
    return MemorySegment.ofAddress(at).reinterpret(bytes);
  }

  private static long syscall(long number, long a, long b, long c, long d, long e, long f)
      throws IOException {
    long result;
    try {
      result = (long) SYSCALL.invokeExact(number, a, b, c, d, e, f);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    if (result < 0) {
      throw new IOException("system call " + number + " fails");
    }
    return result;
  }

  /** Copies a file of whole blocks: each of the buffers is read, then written, then read again. */
  private void copy(Path source, Path copy) throws IOException {
    int in = open(source, 0);
    int out = open(copy, 1);
    try {
      long blocks = Files.size(source) / MIB;
      long[] offsets = new long[DEPTH];
      boolean[] writing = new boolean[DEPTH];
      long next = 0;
      long done = 0;
      int added = 0;
      for (int slot = 0; slot < DEPTH && next < blocks; slot++, added++) {
        offsets[slot] = next++ * MIB;
        add(READ_FIXED, in, slot, offsets[slot]);
      }
      while (done < blocks) {
        syscall(SYS_ENTER, ring, added, 1, ENTER_GETEVENTS, 0, 0);
        added = 0;
        int head = rings.get(JAVA_INT, cqHead);
        int tail = (int) INT.getAcquire(rings, (long) cqTail);
        for (; head != tail; head++) {
          long completed = cqEntries + (head & cqMask) * 16L;
          int slot = (int) rings.get(JAVA_LONG, completed);
          int result = rings.get(JAVA_INT, completed + 8);
          if (result != MIB) {
            throw new IOException("result " + result + " at " + offsets[slot]);
          }
          writing[slot] = !writing[slot];
          if (writing[slot]) {
            add(WRITE_FIXED, out, slot, offsets[slot]);
            added++;
          } else {
            done++;
            if (next < blocks) {
              offsets[slot] = next++ * MIB;
              add(READ_FIXED, in, slot, offsets[slot]);
              added++;
            }
          }
        }
        INT.setRelease(rings, (long) cqHead, head);
      }
    } finally {
      syscall(SYS_CLOSE, in, 0, 0, 0, 0, 0);
      syscall(SYS_CLOSE, out, 0, 0, 0, 0, 0);
    }
  }

  private void add(byte operation, int file, int slot, long offset) {
    int tail = rings.get(JAVA_INT, sqTail);
    int index = tail & sqMask;
    MemorySegment entry = entries.asSlice((long) index * ENTRY_BYTES, ENTRY_BYTES).fill((byte) 0);
    entry.set(JAVA_BYTE, 0, operation);
    entry.set(JAVA_INT, 4, file);
    entry.set(JAVA_LONG, 8, offset);
    entry.set(JAVA_LONG, 16, buffers.address() + (long) slot * MIB);
    entry.set(JAVA_INT, 24, MIB);
    entry.set(JAVA_LONG, 32, slot);
    entry.set(JAVA_SHORT, 40, (short) slot);
    rings.set(JAVA_INT, sqArray + (long) index * Integer.BYTES, index);
    INT.setRelease(rings, (long) sqTail, tail + 1);
  }

  private int open(Path file, int flags) throws IOException {
    return (int) syscall(SYS_OPEN, arena.allocateFrom(file.toString()).address(), flags, 0, 0, 0, 0);
  }

  @Override
  public void close() throws IOException {
    syscall(SYS_CLOSE, ring, 0, 0, 0, 0, 0);
    arena.close();
  }

  private static void copyByCalls(Path source, Path copy, ByteBuffer block) throws IOException {
    try (FileChannel in = FileChannel.open(source);
        FileChannel out = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      long size = in.size();
      for (long at = 0; at < size; at += MIB) {
        in.read(block.clear(), at);
        out.write(block.flip(), at);
      }
    }
  }

  /** Processor seconds, then wall seconds. */
  private static double[] measured(boolean byRing, Path source, Path copy) throws IOException {
    Files.deleteIfExists(copy);
    Files.createFile(copy);
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    ByteBuffer block = ByteBuffer.allocateDirect(MIB);
    try (FileRing ring = new FileRing()) {
      long cpu = system.getProcessCpuTime();
      long wall = System.nanoTime();
      if (byRing) {
        ring.copy(source, copy);
      } else {
        copyByCalls(source, copy, block);
      }
      return new double[] {
        (system.getProcessCpuTime() - cpu) / 1e9, (System.nanoTime() - wall) / 1e9
      };
    }
  }

  public static void main(String[] arguments) throws IOException {
    long mebibytes = Long.parseLong(arguments[0]);
    int rounds = Integer.parseInt(arguments[1]);
    System.out.println("| directory | CPU s/GiB, calls -> ring | ratio | wall s | ratio |");
    System.out.println("|---|--:|--:|--:|--:|");
    for (String name : Arrays.asList(arguments).subList(2, arguments.length)) {
      Path directory = Files.createDirectories(Path.of(name));
      Path source = directory.resolve("ring-source");
      Path copy = directory.resolve("ring-copy");
      byte[] bytes = new byte[MIB];
      new Random(1).nextBytes(bytes);
      try (var out = Files.newOutputStream(source)) {
        for (long i = 0; i < mebibytes; i++) {
          ByteBuffer.wrap(bytes).putLong(i);
          out.write(bytes);
        }
      }
      double[][] figures = new double[6][rounds];
      for (int round = -1; round < rounds; round++) {
        double[] calls = measured(false, source, copy);
        double[] ring = measured(true, source, copy);
        if (round < 0) {
          if (Files.mismatch(source, copy) >= 0) {
            throw new IOException("wrong result");
          }
          continue;
        }
        for (int i = 0; i < 2; i++) {
          figures[3 * i][round] = calls[i];
          figures[3 * i + 1][round] = ring[i];
          figures[3 * i + 2][round] = ring[i] / calls[i];
        }
      }
      Files.delete(source);
      Files.delete(copy);
      double[] m = Arrays.stream(figures).mapToDouble(FileRing::median).toArray();
      double gibibytes = mebibytes / 1024.0;
      System.out.printf(
          Locale.ROOT,
          "| %s | %.3f -> %.3f | %.2f | %.2f -> %.2f | %.2f |%n",
          name,
          m[0] / gibibytes,
          m[1] / gibibytes,
          m[2],
          m[3],
          m[4],
          m[5]);
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
