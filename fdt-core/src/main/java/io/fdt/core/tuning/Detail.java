package io.fdt.core.tuning;

import java.util.List;

/**
 * The details for a monitor besides a {@link Sample}. Collected only on request. Immutable.
 *
 * @param receiver unknown if its version is older
 * @param blocks blocks and packs that the receiver has written since the start of the session
 * @param blocksRepeated blocks and packs sent again since the start
 * @param openStreams data streams of this session, including those not listed
 * @param streams by number, at most {@link #MOST_STREAMS}
 */
public record Detail(
    EndState sender,
    EndState receiver,
    long blocks,
    long blocksRepeated,
    int openStreams,
    List<StreamState> streams) {
  /** The most streams for a monitor; a message with these has about 2 KB. */
  public static final int MOST_STREAMS = 64;

  public Detail {
    streams = List.copyOf(streams);
  }
}
