package io.fdt.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Whether several disks are read at the same time: {@code make bench-disks DISKS='DIR DIR ...'},
 * each directory on a block device of its own.
 *
 * <p>Each holds one file of 256 MB. Pulls alternate between the first file alone and all files
 * together; times include the start of the command, and the page cache is cold.
 */
final class DiskComparison {
  private static final int FILE_MEGABYTES = 256;
  private static final int ROUNDS = 3;

  private DiskComparison() {}

  /** Arguments: the jar, a destination directory, and one directory for each disk. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length < 4) {
      System.err.println("usage: JAR DESTINATION DISK DISK...");
      System.exit(2);
    }
    Path jar = Path.of(arguments[0]).toAbsolutePath();
    Path destination = Files.createDirectories(Path.of(arguments[1]));
    List<Path> disks = new ArrayList<>();
    for (int i = 2; i < arguments.length; i++) {
      disks.add(file(Path.of(arguments[i]).toAbsolutePath()));
    }
    for (int round = 1; round <= ROUNDS; round++) {
      double one = megabytesPerSecond(jar, destination, disks.subList(0, 1));
      double all = megabytesPerSecond(jar, destination, disks);
      System.out.printf(
          Locale.ROOT,
          "round %d: one disk %.0f MB/s, %d disks %.0f MB/s: %.2f times%n",
          round,
          one,
          disks.size(),
          all,
          all / one);
    }
  }

  private static Path file(Path directory) throws IOException, InterruptedException {
    Path file = directory.resolve("fdt-disk-comparison");
    dd("if=/dev/urandom", "of=" + file, "bs=1M", "count=" + FILE_MEGABYTES, "conv=fsync");
    return file;
  }

  private static double megabytesPerSecond(Path jar, Path destination, List<Path> files)
      throws IOException, InterruptedException {
    Path work = destination.resolve("fdt-disk-comparison");
    Trees.delete(work);
    Files.createDirectories(work);
    for (Path file : files) {
      dd("if=" + file, "iflag=nocache", "count=0"); // out of the page cache
    }
    List<String> exports = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      exports.add("disk" + i + "=" + files.get(i).getParent());
    }
    // The files have the same name: the list gives each a new one.
    Path list = Files.writeString(work.resolve("list"), list(files));
    try (OwnServer server = new OwnServer(jar, work, exports);
        MeasuredProcess client =
            server.client("-pull", "-d", work.toString(), "-fl", list.toString())) {
      double seconds = client.end().wallSeconds();
      server.stop();
      return files.size() * FILE_MEGABYTES * 1.048576 / seconds;
    } finally {
      Trees.delete(work);
    }
  }

  private static String list(List<Path> files) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < files.size(); i++) {
      lines.append("/disk%d/%s / disk%d/file%n".formatted(i, files.get(i).getFileName(), i));
    }
    return lines.toString();
  }

  private static void dd(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("dd", "status=none"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + " failed");
    }
  }
}
