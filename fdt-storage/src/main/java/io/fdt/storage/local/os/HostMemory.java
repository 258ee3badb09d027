package io.fdt.storage.local.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The memory of this machine, as far as the control groups of the process allow. */
final class HostMemory {
  private HostMemory() {}

  /**
   * Bytes available without swapping; {@link Long#MAX_VALUE} where the system does not report it.
   */
  static long available() {
    return available(Path.of("/proc"), Path.of("/sys/fs/cgroup"));
  }

  static long available(Path proc, Path groups) {
    long available = Long.MAX_VALUE;
    try (Stream<String> lines = Files.lines(proc.resolve("meminfo"))) {
      available =
          lines
              .filter(line -> line.startsWith("MemAvailable:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
              .findFirst()
              .orElse(Long.MAX_VALUE);
    } catch (IOException | RuntimeException e) {
      // another system than Linux
    }
    try (Stream<String> lines = Files.lines(proc.resolve("self/cgroup"))) {
      return lines.mapToLong(line -> limit(groups, line)).reduce(available, Math::min);
    } catch (IOException | RuntimeException e) {
      return available;
    }
  }

  /** The smallest limit from the group of a line of /proc/self/cgroup up to the root. */
  private static long limit(Path groups, String line) {
    String[] fields = line.split(":", 3);
    boolean isUnified = fields[1].isEmpty();
    if (!isUnified && !fields[1].equals("memory")) {
      return Long.MAX_VALUE;
    }
    Path root = isUnified ? groups : groups.resolve("memory");
    String file = isUnified ? "memory.max" : "memory.limit_in_bytes";
    long least = Long.MAX_VALUE;
    Path group = root.resolve(fields[2].substring(1)).normalize();
    for (; group.startsWith(root); group = group.getParent()) {
      least = Math.min(least, number(group.resolve(file)));
    }
    return least;
  }

  private static long number(Path file) {
    try {
      return Long.parseLong(Files.readString(file).strip());
    } catch (IOException | RuntimeException e) {
      return Long.MAX_VALUE; // "max", or no such group here
    }
  }
}
