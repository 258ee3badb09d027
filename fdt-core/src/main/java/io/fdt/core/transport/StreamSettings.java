package io.fdt.core.transport;

import io.fdt.core.wire.PathKey;
import io.fdt.core.wire.PayloadDecoder;
import java.util.Optional;

/**
 * Settings of a data stream.
 *
 * @param maxPayload longest accepted payload, in bytes
 * @param socketBuffer bytes of the socket's buffers; 0 leaves them to the operating system
 * @param decoder of the encodings that the session has agreed on
 * @param pathKey authenticates both ends when an address changes
 */
public record StreamSettings(
    int maxPayload, int socketBuffer, PayloadDecoder decoder, Optional<PathKey> pathKey) {
  /** Without a path key. */
  public StreamSettings(int maxPayload, int socketBuffer, PayloadDecoder decoder) {
    this(maxPayload, socketBuffer, decoder, Optional.empty());
  }

  /** For plain payloads only. */
  public StreamSettings(int maxPayload, int socketBuffer) {
    this(maxPayload, socketBuffer, PayloadDecoder.NONE);
  }

  /** A copy with a path key. */
  public StreamSettings withPathKey(PathKey key) {
    return new StreamSettings(maxPayload, socketBuffer, decoder, Optional.of(key));
  }
}
