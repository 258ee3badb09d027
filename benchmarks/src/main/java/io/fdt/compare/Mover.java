package io.fdt.compare;

import java.nio.file.Path;

/** A way to move one file, both ends of it in this process. */
interface Mover {
  /**
   * Processor seconds of the threads of each end.
   *
   * @param sender NaN if the ends cannot be told apart, as {@code receiver}
   */
  record Ends(double sender, double receiver) {
    static final Ends UNKNOWN = new Ends(Double.NaN, Double.NaN);
  }

  /** The number of connections; 0 without a network. */
  int streams();

  /**
   * Moves all of a file.
   *
   * @param copy a file that does not exist yet
   */
  Ends move(Path source, Path copy) throws Exception;
}
