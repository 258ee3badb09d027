package io.fdt.compare;

import java.nio.file.Path;

/** A way to move one file, both ends of it in this process. */
interface Mover {
  /** The number of connections; 0 without a network. */
  int streams();

  /**
   * Moves all of a file.
   *
   * @param copy a file that does not exist yet
   */
  void move(Path source, Path copy) throws Exception;
}
