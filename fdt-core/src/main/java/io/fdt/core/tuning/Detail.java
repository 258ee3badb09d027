package io.fdt.core.tuning;

import java.util.List;

/**
 * The details that a monitor shows besides a {@link Sample}. Collected only when it is asked for.
 * Immutable.
 *
 * @param receiver unknown where its FDT is older than this
 * @param blocks blocks and packs that the receiver has written since the session began
 * @param blocksRepeated blocks and packs that were sent again since then
 * @param openStreams data streams of this session, those that are not listed included
 * @param streams by number, at most {@link #MOST_STREAMS}
 */
public record Detail(
    EndState sender,
    EndState receiver,
    long blocks,
    long blocksRepeated,
    int openStreams,
    List<StreamState> streams) {
  /** A monitor shows no more of them; a message of so many has about 2 KB. */
  public static final int MOST_STREAMS = 64;

  public Detail {
    streams = List.copyOf(streams);
  }
}
