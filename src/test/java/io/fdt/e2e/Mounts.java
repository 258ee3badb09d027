package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** File systems that a test mounts; skips the test where it may not. */
public final class Mounts implements AutoCloseable {
  private final Deque<Path> mounted = new ArrayDeque<>();

  /** Mounts ext4 with inodes of 128 bytes, which have no room for parts of seconds. */
  public Path ext4OfWholeSeconds(Path directory) {
    Programs.require("mkfs.ext4");
    Path image = directory.resolveSibling(directory.getFileName() + ".img");
    Shell.run(directory, "truncate -s 32M '%s'; mkfs.ext4 -q -I 128 '%s'".formatted(image, image));
    mount(directory, "mount", "-o", "loop", image.toString(), directory.toString());
    Shell.run(directory, "rmdir lost+found");
    return directory;
  }

  /** Mounts memory that refuses direct I/O. */
  public Path withoutDirectIo(Path directory) {
    mount(directory, "mount", "-t", "ramfs", "none", directory.toString());
    return directory;
  }

  private void mount(Path directory, String... command) {
    assumeTrue(succeeds(command), "no right to mount: " + String.join(" ", command));
    mounted.push(directory);
  }

  private static boolean succeeds(String... command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    while (!mounted.isEmpty()) {
      String directory = mounted.pop().toString();
      // Servers of the test still have it open: it goes when they end.
      assertThat(succeeds("umount", "-l", directory)).as("umount %s", directory).isTrue();
    }
  }
}
