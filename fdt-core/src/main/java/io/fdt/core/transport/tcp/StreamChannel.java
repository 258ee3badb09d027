package io.fdt.core.transport.tcp;

import io.fdt.core.transport.PathState;
import io.fdt.core.udt.packet.PathKey;
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

  /** With this its ends prove who they are when the address of one changes. On its event loop. */
  void setPathKey(PathKey key);

  /** Whether it encrypts what it carries once it is asked to; then no TLS is needed within it. */
  boolean canSeal();

  /**
   * From here on, in both directions, everything is encrypted with keys of this stream. What has
   * come and was not read is dropped. On its event loop.
   */
  void seal(PathKey key);

  /** What it knows of its path. Any thread. */
  Optional<PathState> pathState();

  /** The name of its rate control. Any thread. */
  String congestion();
}
