package io.fdt.compare;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine of a comparison. */
public final class Machine {
  /** Memory of processes and sockets besides the copy, at most. */
  static final long PROCESSES = 512L << 20;

  private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

  private Machine() {}

  /** A description of processors and memory. */
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
   * Writes and removes as many bytes as a run needs: a virtual machine returns freed memory to its
   * host, and the next run would pay for getting it back.
   *
   * @param besides bytes in addition to the copy: {@link #PROCESSES} if the run starts processes
   */
  static void touchMemory(Path directory, Trees.Size size, long besides) throws IOException {
    Path file = directory.resolve("touched");
    byte[] block = new byte[1 << 20];
    // A small file takes at least one page, and memory for its inode.
    long bytes = size.bytes() + size.files() * 8192 + besides;
    try (OutputStream out = Files.newOutputStream(file)) {
      for (long written = 0; written < bytes; written += block.length) {
        out.write(block);
      }
    }
    Files.delete(file);
  }

  /** Whether {@link #dropPageCache} works; it needs root. */
  static boolean canDropPageCache() {
    return Files.isWritable(DROP_CACHES);
  }

  /** Flushes dirty pages now, so that they are not written back during the next run. */
  static void writeBack() throws IOException, InterruptedException {
    int status = new ProcessBuilder("sync").start().waitFor();
    if (status != 0) {
      throw new IOException("sync ended with status " + status);
    }
  }

  /** Drops the page cache, so that files are read from their disks. */
  static void dropPageCache() throws IOException, InterruptedException {
    writeBack();
    Files.writeString(DROP_CACHES, "3\n");
  }
}
