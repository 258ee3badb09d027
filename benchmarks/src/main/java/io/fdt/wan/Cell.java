package io.fdt.wan;

import java.util.Locale;

/**
 * One measurement to be made.
 *
 * @param experiment its name on the command line
 * @param variant of the experiment, or empty
 * @param link between the hosts
 * @param streams as for {@code -P}
 * @param round from 1
 * @param seconds after which the transfer is stopped; 0 for never
 * @param bytes of the source
 * @param files of the source
 */
record Cell(
    String experiment,
    String variant,
    Link link,
    String streams,
    int round,
    int seconds,
    long bytes,
    int files) {
  static final String AUTO = "auto";

  /** The value for a run without -P. */
  static final String DEFAULT = "default";

  /** A copy of one file, to its end. */
  static Cell file(String experiment, Link link, String streams, int round, long bytes) {
    return new Cell(experiment, "", link, streams, round, 0, bytes, 1);
  }

  /**
   * A copy that is stopped after a time, of a file that is too large to complete.
   *
   * @param mostMegabits the highest possible rate, in Mbit/s
   */
  static Cell timed(
      String experiment,
      String variant,
      Link link,
      String streams,
      int seconds,
      double mostMegabits) {
    double least = mostMegabits * 1e6 / 8 * (seconds + 5);
    long bytes = Math.max(16L << 20, (long) least);
    return new Cell(experiment, variant, link, streams, 1, seconds, bytes, 1);
  }

  String words() {
    return String.format(
        Locale.ROOT,
        "%s%s: %s, P %s, round %d",
        experiment,
        variant.isEmpty() ? "" : " " + variant,
        link.words(),
        streams,
        round);
  }
}
