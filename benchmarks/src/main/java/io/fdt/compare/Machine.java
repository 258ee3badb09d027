package io.fdt.compare;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a comparison ran. */
public final class Machine {
  /** Bytes that processes and sockets take besides the copy, or more. */
  static final long PROCESSES = 512L << 20;

  private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

  private Machine() {}

  /** Processors and memory, in words. */
  public static String processorsAndMemory() throws IOException {
    long kibibytes =
        Files.readAllLines(Path.of("/proc/meminfo")).stream()
            .filter(line -> line.startsWith("MemTotal:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .findFirst()
            .orElse(0);
    String model =
        Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
            .filter(line -> line.startsWith("model name"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElse(System.getProperty("os.arch"));
    return "%d processors (%s), %.0f GiB of memory"
        .formatted(Runtime.getRuntime().availableProcessors(), model, kibibytes / 1048576.0);
  }

  static String fileSystem(Path directory) throws IOException {
    return Files.getFileStore(directory).type();
  }

  /**
   * Writes as much as a run will write, and removes it: a virtual machine gives freed memory back
   * to its host, and without this the run that takes it again would pay for those before it.
   *
   * @param besides bytes more than the copy: {@link #PROCESSES} where any are started for the run
   */
  static void touchMemory(Path directory, Trees.Size size, long besides) throws IOException {
    Path file = directory.resolve("touched");
    byte[] block = new byte[1 << 20];
    // Small files take a page each, and something for their inodes.
    long bytes = size.bytes() + size.files() * 8192 + besides;
    try (OutputStream out = Files.newOutputStream(file)) {
      for (long written = 0; written < bytes; written += block.length) {
        out.write(block);
      }
    }
    Files.delete(file);
  }

  /** Whether {@link #dropPageCache} works: only root can have that. */
  static boolean canDropPageCache() {
    return Files.isWritable(DROP_CACHES);
  }

  /** Has the kernel write now what it would write back during the next run. */
  static void writeBack() throws IOException, InterruptedException {
    int status = new ProcessBuilder("sync").start().waitFor();
    if (status != 0) {
      throw new IOException("sync ended with status " + status);
    }
  }

  /** Drops cached files, which are then read again from their disks. */
  static void dropPageCache() throws IOException, InterruptedException {
    writeBack();
    Files.writeString(DROP_CACHES, "3\n");
  }
}
