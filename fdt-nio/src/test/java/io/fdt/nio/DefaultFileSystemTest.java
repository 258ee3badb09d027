package io.fdt.nio;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract on the JDK's own file system: what it asserts is so. */
class DefaultFileSystemTest extends FileSystemContract {
  @TempDir static Path base;

  @Override
  Path base() {
    return base;
  }

  @Override
  Path root() {
    return disk;
  }
}
