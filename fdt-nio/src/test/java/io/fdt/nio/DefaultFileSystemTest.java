package io.fdt.nio;

import java.nio.file.Path;

/** The contract on the JDK's own file system: what it asserts is so. */
class DefaultFileSystemTest extends FileSystemContract {
  @Override
  Path root() {
    return disk;
  }
}
