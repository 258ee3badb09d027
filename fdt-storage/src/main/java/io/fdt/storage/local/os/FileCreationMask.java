package io.fdt.storage.local.os;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The umask of this process, read once without changing it. Any thread. */
public final class FileCreationMask {
  /** The mode of a temporary file: accessible to the owner only, as the final mode may be. */
  public static final int TEMPORARY = 0600;

  /** The common value, used when it cannot be read. */
  private static final int USUAL = 022;

  private static final int OF_PROCESS = read();

  private FileCreationMask() {}

  /** The mode reduced by the mask. */
  public static int applyTo(int mode) {
    return mode & ~OF_PROCESS;
  }

  private static int read() {
    try {
      for (String line :
          Files.readAllLines(Path.of("/proc/self/status"), StandardCharsets.ISO_8859_1)) {
        if (line.startsWith("Umask:")) {
          return Integer.parseInt(line.substring("Umask:".length()).trim(), 8);
        }
      }
    } catch (IOException e) {
      // No /proc here: assume the common mask.
    }
    return USUAL;
  }
}
