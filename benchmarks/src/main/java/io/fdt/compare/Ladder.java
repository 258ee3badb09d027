package io.fdt.compare;

import com.sun.management.OperatingSystemMXBean;
import io.fdt.compare.Way.Part;
import io.netty.channel.uring.IoUring;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures the gain of each way to copy a file over loopback against a simpler one ({@code make
 * bench-ladder}). Both ends are threads of this process with plain NIO or Netty, without FDT's
 * code.
 *
 * <p>Each question compares two ways in turn; the first pair warms up: it is verified, but not
 * counted.
 */
final class Ladder {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  /** The storage of an end's file. */
  private enum Place {
    MEMORY,
    DISK
  }

  /**
   * Two ways to be compared.
   *
   * @param cold whether the source is dropped from the page cache before each run
   */
  private record Question(
      String what, Place from, Place to, boolean cold, Mover one, Mover other) {}

  /** The cost of one run; processor seconds are those of the process. */
  private record Time(double wallSeconds, double cpuSeconds, Mover.Ends ends) {}

  private final Path memory;
  private final Path disk;
  private final long bytes;
  private final int rounds;

  private Ladder(Path memory, Path disk, long bytes, int rounds) {
    this.memory = memory;
    this.disk = disk;
    this.bytes = bytes;
    this.rounds = rounds;
  }

  /**
   * Arguments: a directory in memory, one on a disk, size of the file in MiB, rounds; and
   * optionally a text that selects the questions containing it.
   */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length < 4 || arguments.length > 5) {
      System.err.println("usage: MEMORY-DIRECTORY DISK-DIRECTORY MIB ROUNDS [QUESTION]");
      System.exit(2);
    }
    // Ways that read around the page cache need whole blocks.
    long mebibytes = Math.max(4, Long.parseLong(arguments[2]) / 4 * 4);
    Ladder ladder =
        new Ladder(
            Files.createDirectories(Path.of(arguments[0])).toAbsolutePath(),
            Files.createDirectories(Path.of(arguments[1])).toAbsolutePath(),
            mebibytes * MIB,
            Math.max(1, Integer.parseInt(arguments[3])));
    System.out.printf(
        "%d MiB, %d rounds, medians%n%n"
            + "| question | from, to | streams | wall s | CPU s | wall | CPU"
            + " | sender, CPU s/GiB | receiver, CPU s/GiB |%n"
            + "|---|---|--:|--:|--:|--:|--:|--:|--:|%n",
        mebibytes, ladder.rounds);
    try {
      String asked = arguments.length == 5 ? arguments[4] : "";
      for (Question question : questions()) {
        if (question.what().contains(asked)) {
          System.out.println(ladder.answer(question));
        }
      }
    } finally {
      for (Place place : Place.values()) {
        Files.deleteIfExists(ladder.source(place));
        Files.deleteIfExists(ladder.copy(place));
      }
    }
  }

  private static List<Question> questions() {
    List<Question> all = new ArrayList<>();
    for (Place place : Place.values()) {
      for (int streams : new int[] {1, 4}) {
        Way plain = Way.plain(streams, MIB);
        Way checked = plain.with(Part.CHECKSUMS);
        all.add(warm("over loopback, against read and write", place, Way.local(MIB), plain));
        all.add(warm("CRC32C at both ends", place, plain, checked));
        all.add(warm("CRC32C as bytes are read", place, checked, checked.with(Part.FUSED)));
        all.add(warm("sendfile, no checksum", place, checked, plain.with(Part.SENDFILE)));
        all.add(warm("splice, no checksum", place, checked, plain.with(Part.SPLICED)));
        all.add(warm("a mapping of the copy", place, checked, checked.with(Part.MAPPED)));
        all.add(warm("written by another thread", place, checked, checked.with(Part.OTHER_THREAD)));
        Way sized = checked.with(Part.SIZE_FIRST);
        all.add(warm("size of the copy set first", place, checked, sized));
        Way reserved = checked.with(Part.BLOCKS_FIRST);
        all.add(warm("blocks of the copy reserved first", place, checked, reserved));
        all.add(warm("4 MiB socket buffers", place, checked, checked.withSocketBuffers(4 * MIB)));
        if (place == Place.DISK) {
          Way behind = reserved.with(Part.WRITE_BEHIND);
          all.add(warm("blocks to the disk at once", place, reserved, behind));
        }
      }
    }
    for (int block : new int[] {64 * KIB, 256 * KIB, 4 * MIB}) {
      Way other = Way.plain(4, block).with(Part.CHECKSUMS);
      String what = "blocks of %d KiB, not 1 MiB".formatted(block / KIB);
      all.add(warm(what, Place.MEMORY, Way.plain(4, MIB).with(Part.CHECKSUMS), other));
    }
    for (int streams : new int[] {1, 4}) {
      Way checked = Way.plain(streams, MIB).with(Part.CHECKSUMS);
      all.add(cold("O_DIRECT, cold cache", checked, checked.with(Part.DIRECT)));
      Way forced = checked.with(Part.BLOCKS_FIRST).with(Part.FORCED);
      all.add(
          new Question(
              "O_DIRECT at both ends, cold cache, copy forced to the disk",
              Place.DISK,
              Place.DISK,
              true,
              forced,
              forced.with(Part.DIRECT).with(Part.DIRECT_COPY)));
      if (VethPair.works()) {
        Way veth = checked.with(Part.VETH);
        all.add(warm("MSG_ZEROCOPY over veth", Place.MEMORY, veth, veth.with(Part.ZERO_COPY)));
      }
      all.add(cold("posix_fadvise SEQUENTIAL, cold cache", checked, checked.with(Part.READ_AHEAD)));
    }
    for (int streams : new int[] {1, 4}) {
      Mover epoll = new NettyWay(streams, MIB, NettyWay.Transport.EPOLL);
      Mover nio = new NettyWay(streams, MIB, NettyWay.Transport.NIO);
      Mover ring = new NettyWay(streams, MIB, NettyWay.Transport.IO_URING);
      all.add(warm("NIO, not epoll (Netty)", Place.MEMORY, epoll, nio));
      if (IoUring.isAvailable()) {
        all.add(warm("io_uring, not epoll (Netty)", Place.MEMORY, epoll, ring));
      }
    }
    return all;
  }

  private static Question warm(String what, Place place, Mover one, Mover other) {
    return new Question(what, place, place, false, one, other);
  }

  private static Question cold(String what, Mover one, Mover other) {
    return new Question(what, Place.DISK, Place.MEMORY, true, one, other);
  }

  /** A row of the table. */
  private String answer(Question question) throws Exception {
    Path source = source(question.from());
    if (Files.notExists(source)) {
      Path made = Dataset.oneFile("ladder", bytes).in(source.getParent());
      Files.move(made.resolve("file"), source);
      Trees.delete(made);
    }
    run(question, question.one(), true);
    run(question, question.other(), true);
    double[][] figures = new double[10][rounds];
    double gibibytes = bytes / (double) (1 << 30);
    for (int round = 0; round < rounds; round++) {
      Time one = run(question, question.one(), false);
      Time other = run(question, question.other(), false);
      figures[0][round] = one.wallSeconds();
      figures[1][round] = other.wallSeconds();
      figures[2][round] = one.cpuSeconds();
      figures[3][round] = other.cpuSeconds();
      figures[4][round] = other.wallSeconds() / one.wallSeconds();
      figures[5][round] = other.cpuSeconds() / one.cpuSeconds();
      figures[6][round] = one.ends().sender() / gibibytes;
      figures[7][round] = other.ends().sender() / gibibytes;
      figures[8][round] = one.ends().receiver() / gibibytes;
      figures[9][round] = other.ends().receiver() / gibibytes;
    }
    Files.deleteIfExists(copy(question.to()));
    double[] median = Arrays.stream(figures).mapToDouble(Ladder::median).toArray();
    return String.format(
        Locale.ROOT,
        "| %s | %s, %s | %d | %s | %s | %.2f | %.2f | %s | %s |",
        question.what(),
        name(question.from()),
        name(question.to()),
        question.other().streams(),
        change(median[0], median[1]),
        change(median[2], median[3]),
        median[4],
        median[5],
        change(median[6], median[7]),
        change(median[8], median[9]));
  }

  private static String change(double one, double other) {
    return String.format(Locale.ROOT, "%.2f -> %.2f", one, other).replace("NaN", "?");
  }

  private Time run(Question question, Mover way, boolean verify) throws Exception {
    Path source = source(question.from());
    Path copy = copy(question.to());
    Files.deleteIfExists(copy);
    if (question.to() == Place.MEMORY) {
      Machine.touchMemory(memory, new Trees.Size(bytes, 0), 0);
    }
    if (question.cold()) {
      Machine.dropPageCache();
    }
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long cpu = system.getProcessCpuTime();
    long start = System.nanoTime();
    Mover.Ends ends = way.move(source, copy);
    double wall = (System.nanoTime() - start) / 1e9;
    Time time = new Time(wall, (system.getProcessCpuTime() - cpu) / 1e9, ends);
    if (verify && Files.mismatch(source, copy) >= 0) {
      throw new IOException("wrong result: " + way);
    }
    return time;
  }

  private Path source(Place place) {
    return directory(place).resolve("ladder-source");
  }

  private Path copy(Place place) {
    return directory(place).resolve("ladder-copy");
  }

  private Path directory(Place place) {
    return place == Place.MEMORY ? memory : disk;
  }

  private static String name(Place place) {
    return place.name().toLowerCase(Locale.ROOT);
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
