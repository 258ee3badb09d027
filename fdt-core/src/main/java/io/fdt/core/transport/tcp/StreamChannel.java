package io.fdt.core.transport.tcp;

import io.fdt.core.transport.PathState;
import io.netty.channel.Channel;
import java.util.Optional;

/** A channel, other than a socket of TCP, that can carry a data stream. */
public interface StreamChannel extends Channel {
  /**
   * Its peer has shown that it may send frames.
   *
   * @param bufferBytes for what is under way; 0 leaves it to the channel
   */
  void becomeStream(int bufferBytes);

  /** What it knows of its path. Any thread. */
  Optional<PathState> pathState();

  /** The name of its rate control. Any thread. */
  String congestion();
}
