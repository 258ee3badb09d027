package io.fdt.core.transport;

import io.fdt.core.wire.PayloadDecoder;

/**
 * What a data stream needs to know before it starts.
 *
 * @param maxPayload longest payload that is accepted, in bytes
 * @param socketBuffer bytes of the socket's buffers; 0 leaves them to the operating system, which
 *     adapts them
 * @param decoder of the encodings that the session has agreed on
 */
public record StreamSettings(int maxPayload, int socketBuffer, PayloadDecoder decoder) {
  /** For plain payloads only. */
  public StreamSettings(int maxPayload, int socketBuffer) {
    this(maxPayload, socketBuffer, PayloadDecoder.NONE);
  }
}
