package io.fdt.core.model;

import java.util.regex.Pattern;

/**
 * What a sender finds out while it runs. Immutable.
 *
 * @param streams how many of the streams to use
 * @param startStreams so many are used until it has found out something else, 0 to 128; 0 for what
 *     follows from the path, or all when nothing is found out. What is sent first uses all of them
 * @param readers how many threads read each disk
 * @param congestion the algorithm of TCP's congestion control on the data streams: a name that the
 *     sender's system knows, {@link #AUTO}, or empty for what the system takes by itself
 */
public record Tuning(boolean streams, int startStreams, boolean readers, String congestion) {
  /** As Linux names its modules; TCP_CA_NAME_MAX is 16 with the byte at the end. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9_-]{0,15}");

  /** Nothing is found out. */
  public static final Tuning NONE = new Tuning(false, 0, false, "");

  /** Another algorithm is tried when packets get lost by chance. */
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

  /** Whether other algorithms of congestion control are tried. */
  public boolean triesCongestion() {
    return congestion.equals(AUTO);
  }

  /** Of so many streams those that go on; all of them where their number is found out. */
  public int steadyStreams(int all) {
    return !streams && startStreams > 0 ? Math.min(all, startStreams) : all;
  }

  /** Whether anything is changed while the transfer runs. */
  public boolean isAny() {
    return streams || readers || triesCongestion();
  }
}
