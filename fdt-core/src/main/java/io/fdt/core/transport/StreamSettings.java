package io.fdt.core.transport;

import io.fdt.core.udt.packet.PathKey;
import io.fdt.core.wire.PayloadDecoder;
import java.util.Optional;

/**
 * What a data stream needs to know before it starts.
 *
 * @param maxPayload longest payload that is accepted, in bytes
 * @param socketBuffer bytes of the socket's buffers; 0 leaves them to the operating system, which
 *     adapts them
 * @param decoder of the encodings that the session has agreed on
 * @param pathKey with which its ends prove who they are when an address changes
 */
public record StreamSettings(
    int maxPayload, int socketBuffer, PayloadDecoder decoder, Optional<PathKey> pathKey) {
  /** Without a key. */
  public StreamSettings(int maxPayload, int socketBuffer, PayloadDecoder decoder) {
    this(maxPayload, socketBuffer, decoder, Optional.empty());
  }

  /** For plain payloads only. */
  public StreamSettings(int maxPayload, int socketBuffer) {
    this(maxPayload, socketBuffer, PayloadDecoder.NONE);
  }

  /** The same, with a key. */
  public StreamSettings withPathKey(PathKey key) {
    return new StreamSettings(maxPayload, socketBuffer, decoder, Optional.of(key));
  }
}
