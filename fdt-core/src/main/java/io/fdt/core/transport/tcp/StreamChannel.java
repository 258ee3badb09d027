package io.fdt.core.transport.tcp;

import io.fdt.core.transport.PathState;
import io.fdt.core.wire.PathKey;
import io.netty.channel.Channel;
import java.util.Optional;

/** A channel, other than a TCP socket, that can carry a data stream. */
public interface StreamChannel extends Channel {
  /**
   * The peer is authorised to send frames.
   *
   * @param bufferBytes for data in flight; 0 leaves it to the channel
   */
  void becomeStream(int bufferBytes);

  /**
   * Sets the key that authenticates both ends when the address of one changes. On its event loop.
   */
  void setPathKey(PathKey key);

  /** Whether the channel can encrypt its packets; then it needs no TLS. */
  boolean canSeal();

  /**
   * Encrypts all later packets, in both directions, with keys of this stream. Discards input that
   * was not read. On its event loop.
   */
  void seal(PathKey key);

  /** The state of its path. Any thread. */
  Optional<PathState> pathState();

  /** The name of its rate control. Any thread. */
  String congestion();
}
