package io.fdt.core.model;

import java.util.regex.Pattern;

/**
 * The parameters that a sender tunes while it runs. Immutable.
 *
 * @param streams whether to tune the number of streams
 * @param startStreams number of streams at the start of their tuning, 0 to 128; 0 for one derived
 *     from the path
 * @param readers whether to tune the number of threads that read each disk
 * @param congestion TCP congestion control of the data streams: a name that the sender's system
 *     knows, {@link #AUTO}, or empty for the system's default
 */
public record Tuning(boolean streams, int startStreams, boolean readers, String congestion) {
  /** Names of Linux modules; TCP_CA_NAME_MAX is 16, with the final NUL. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9_-]{0,15}");

  /** No tuning. */
  public static final Tuning NONE = new Tuning(false, 0, false, "");

  /** Tries another algorithm when packets are lost at random. */
  public static final String AUTO = "auto";

  private static final int MOST_START = 128;

  /**
   * @throws IllegalArgumentException when a value is out of its range
   */
  public Tuning {
    if (startStreams < 0 || startStreams > MOST_START) {
      throw new IllegalArgumentException("streams at the start " + startStreams);
    }
    if (!NAME.matcher(congestion).matches()) {
      throw new IllegalArgumentException("not the name of a congestion control");
    }
  }

  /** Whether other congestion control algorithms are tried. */
  public boolean triesCongestion() {
    return congestion.equals(AUTO);
  }

  /** Whether anything is tuned. */
  public boolean isAny() {
    return streams || readers || triesCongestion();
  }
}
