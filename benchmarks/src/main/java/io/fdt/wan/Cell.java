package io.fdt.wan;

import java.util.Locale;

/**
 * One measurement to be made.
 *
 * @param experiment its name on the command line
 * @param variant of the experiment, or empty
 * @param link between the hosts
 * @param streams as {@code -P} takes it
 * @param round from 1
 * @param seconds after which the transfer is ended; 0: it goes to its end
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

  /** Without -P. */
  static final String DEFAULT = "default";

  /** One file, copied whole. */
  static Cell file(String experiment, Link link, String streams, int round, long bytes) {
    return new Cell(experiment, "", link, streams, round, 0, bytes, 1);
  }

  /**
   * As much as arrives in some time, of a file that cannot arrive within it.
   *
   * @param mostMegabits a second that can arrive
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
