package io.fdt.compare;

import java.nio.file.Path;

/** A way to move one file, both ends of it in this process. */
interface Mover {
  /** Connections; 0 without a network. */
  int streams();

  /**
   * Moves all of a file.
   *
   * @param copy where there is no file yet
   */
  void move(Path source, Path copy) throws Exception;
}
