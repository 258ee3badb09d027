package io.fdt.server;

import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Recall;

/**
 * Where a block or pack lies whose frame begins in a file of the spool. Immutable.
 *
 * @param offset of its header in that file; the rest may be in the files that follow
 * @param key by which both ends know its payload
 * @param wireLength as its header says
 * @param encoding as its header says
 */
record HeldFrame(long offset, long key, int wireLength, int encoding) {
  HeldFrame(long offset, FrameHeader header) {
    this(offset, Recall.key(header), header.wireLength(), header.encoding());
  }

  long payloadOffset() {
    return offset + FrameHeader.LENGTH;
  }

  long end() {
    return payloadOffset() + wireLength;
  }

  boolean hasPayloadOf(FrameHeader header) {
    return key == Recall.key(header)
        && wireLength == header.wireLength()
        && encoding == header.encoding();
  }
}
