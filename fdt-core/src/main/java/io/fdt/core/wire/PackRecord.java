package io.fdt.core.wire;

import io.netty.buffer.ByteBuf;

/**
 * One whole small file inside the payload of a PACK frame, by position. Immutable.
 *
 * @param fileId id of the file
 * @param size bytes of the file
 * @param crc CRC-32C of them, as stated by the sender
 * @param index where they start in the payload, as an absolute index of the buffer
 */
public record PackRecord(long fileId, int size, int crc, int index) {
  /** The bytes of the file: a view of the payload without a reference of its own. */
  public ByteBuf slice(ByteBuf payload) {
    return payload.slice(index, size);
  }
}
