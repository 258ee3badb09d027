package io.fdt.server;

import io.fdt.core.wire.FrameHeader;

/**
 * Where a block or pack lies whose frame begins in a file of the spool. Immutable.
 *
 * @param offset of its header in that file; the rest may be in the files that follow
 * @param payloadCrc as its header says
 * @param length as its header says
 * @param wireLength as its header says
 * @param encoding as its header says
 */
record HeldFrame(long offset, int payloadCrc, int length, int wireLength, int encoding) {
  HeldFrame(long offset, FrameHeader header) {
    this(offset, header.payloadCrc(), header.length(), header.wireLength(), header.encoding());
  }

  /** By which both ends know a payload: checksum and length of its plain bytes. */
  static long key(FrameHeader header) {
    return key(header.payloadCrc(), header.length());
  }

  private static long key(int crc, int length) {
    return (long) crc << Integer.SIZE | length;
  }

  long key() {
    return key(payloadCrc, length);
  }

  long payloadOffset() {
    return offset + FrameHeader.LENGTH;
  }

  long end() {
    return payloadOffset() + wireLength;
  }

  boolean hasPayloadOf(FrameHeader header) {
    return payloadCrc == header.payloadCrc()
        && length == header.length()
        && wireLength == header.wireLength()
        && encoding == header.encoding();
  }
}
