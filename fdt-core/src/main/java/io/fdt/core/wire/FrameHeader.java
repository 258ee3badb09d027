package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;

/**
 * The fixed start of every frame on a data connection: 44 bytes, big-endian; the payload follows.
 *
 * <pre>
 *   0       1       2               4               6               8
 *   +-------+-------+---------------+-------------------------------+
 *   | type  |encod. |       0       |  length of payload, as sent   |
 *   +-------+-------+---------------+-------------------------------+
 *   |                            number                             |  8
 *   +---------------------------------------------------------------+
 *   |                            file id                            | 16
 *   +---------------------------------------------------------------+
 *   |                            offset                             | 24
 *   +-------------------------------+-------------------------------+
 *   |   plain length of payload     |   CRC-32C of plain payload    | 32
 *   +-------------------------------+-------------------------------+
 *   |    CRC-32C of bytes 0..39     |                                 40
 *   +-------------------------------+                                 44
 *
 *   type    file id                       offset             payload
 *   BLOCK   id of the file                where it belongs   bytes of that file
 *   PACK    number of records             0                  records, see {@link Pack}
 *   IDLE    0                             0                  none: the stream is alive
 * </pre>
 *
 * <p>A payload may be encoded, for example compressed. Its plain length and its checksum are those
 * of the bytes of the file, so that the checksum of a file can be combined from those of its
 * frames. Immutable.
 *
 * @param type kind of payload
 * @param encoding {@link PayloadDecoder#PLAIN}, or how the payload is encoded: 1 to 255
 * @param wireLength bytes of the payload as it is sent; of a plain payload its length
 * @param length bytes of the payload once it is decoded
 * @param number position in the stream; frames of one stream count up from 0
 * @param fileId see the table above
 * @param offset see the table above
 * @param payloadCrc CRC-32C of the payload once it is decoded
 */
public record FrameHeader(
    Type type,
    int encoding,
    int wireLength,
    int length,
    long number,
    long fileId,
    long offset,
    int payloadCrc) {
  /** Bytes of a header. */
  public static final int LENGTH = 44;

  private static final int CHECKED_LENGTH = 40;

  /** The content of a frame. */
  public enum Type {
    /** One block of one file. */
    BLOCK(1),
    /** Several whole small files. */
    PACK(2),
    /** No content. */
    IDLE(3);

    private final int wireCode;

    Type(int wireCode) {
      this.wireCode = wireCode;
    }

    public int wireCode() {
      return wireCode;
    }

    private static Type ofWireCode(int wireCode) throws FdtException {
      for (Type type : values()) {
        if (type.wireCode == wireCode) {
          return type;
        }
      }
      throw violation("unknown type of frame: " + wireCode);
    }
  }

  public FrameHeader {
    if (length < 0 || number < 0 || fileId < 0 || offset < 0 || offset + length < 0) {
      throw new IllegalArgumentException(
          "length=%d number=%d file=%d offset=%d".formatted(length, number, fileId, offset));
    }
    if (encoding < 0
        || encoding > 0xFF
        || wireLength < 0
        || (encoding == PayloadDecoder.PLAIN && wireLength != length)) {
      throw new IllegalArgumentException(
          "encoding=%d wire length=%d length=%d".formatted(encoding, wireLength, length));
    }
  }

  /** The header of a frame with one block of one file. */
  public static FrameHeader block(long number, long fileId, long offset, int length, int crc) {
    return plain(Type.BLOCK, length, number, fileId, offset, crc);
  }

  /** The header of a frame with several whole files. */
  public static FrameHeader pack(long number, int records, int length, int crc) {
    return plain(Type.PACK, length, number, records, 0, crc);
  }

  /** The header of an IDLE frame, which has no payload. */
  public static FrameHeader idle(long number) {
    return plain(Type.IDLE, 0, number, 0, 0, 0);
  }

  private static FrameHeader plain(
      Type type, int length, long number, long fileId, long offset, int crc) {
    return new FrameHeader(type, PayloadDecoder.PLAIN, length, length, number, fileId, offset, crc);
  }

  /**
   * The header for an encoded payload.
   *
   * @param code 1 to 255
   * @param encodedLength bytes of the encoded payload
   */
  public FrameHeader encoded(int code, int encodedLength) {
    return new FrameHeader(type, code, encodedLength, length, number, fileId, offset, payloadCrc);
  }

  /** Appends the 44 bytes. */
  public void write(ByteBuf out) {
    out.ensureWritable(LENGTH);
    writeAt(out, out.writerIndex());
    out.writerIndex(out.writerIndex() + LENGTH);
  }

  /** Writes the 44 bytes at an index; the buffer's reader and writer index do not move. */
  public void writeAt(ByteBuf out, int index) {
    out.setByte(index, type.wireCode);
    out.setByte(index + 1, encoding);
    out.setShort(index + 2, 0);
    out.setInt(index + 4, wireLength);
    out.setLong(index + 8, number);
    out.setLong(index + 16, fileId);
    out.setLong(index + 24, offset);
    out.setInt(index + 32, length);
    out.setInt(index + 36, payloadCrc);
    out.setInt(index + CHECKED_LENGTH, Crc32c.of(out, index, CHECKED_LENGTH));
  }

  /**
   * Reads and checks 44 bytes.
   *
   * @param maxPayload the longest payload that the session agreed on
   * @throws FdtException PROTOCOL when they are damaged or violate a rule; the stream cannot
   *     continue
   * @throws IndexOutOfBoundsException when there are fewer bytes
   */
  public static FrameHeader read(ByteBuf in, int maxPayload) throws FdtException {
    WireBytes.requireReadable(in, LENGTH, "a frame header");
    int computed = Crc32c.of(in, in.readerIndex(), CHECKED_LENGTH);
    int typeCode = in.readUnsignedByte();
    int encoding = in.readUnsignedByte();
    int reserved = in.readUnsignedShort();
    long wireLength = in.readUnsignedInt();
    long number = in.readLong();
    long fileId = in.readLong();
    long offset = in.readLong();
    long length = in.readUnsignedInt();
    int payloadCrc = in.readInt();
    int stated = in.readInt();
    if (computed != stated) {
      throw violation(
          "frame header damaged: stated=%08x computed=%08x".formatted(stated, computed));
    }
    Type type = Type.ofWireCode(typeCode);
    if (reserved != 0) {
      throw violation("frame with reserved=" + reserved);
    }
    // An encoded payload longer than the longest plain one is invalid.
    if (Math.max(length, wireLength) > maxPayload) {
      throw violation(
          "frame of "
              + Math.max(length, wireLength)
              + " bytes, at most "
              + maxPayload
              + " were agreed");
    }
    if (encoding == PayloadDecoder.PLAIN && wireLength != length) {
      throw violation("plain frame of " + length + " bytes in " + wireLength);
    }
    if (number < 0 || fileId < 0 || offset < 0 || offset + length < 0) {
      throw violation(
          "frame out of range: number=%s file=%s offset=%s length=%d"
              .formatted(
                  Long.toUnsignedString(number),
                  Long.toUnsignedString(fileId),
                  Long.toUnsignedString(offset),
                  length));
    }
    if (type != Type.BLOCK && offset != 0) {
      throw violation(type + " frame with offset=" + offset);
    }
    if (type == Type.IDLE && (fileId != 0 || length != 0 || payloadCrc != 0 || encoding != 0)) {
      throw violation("IDLE frame with content: file=" + fileId + " length=" + length);
    }
    return new FrameHeader(
        type,
        encoding,
        Math.toIntExact(wireLength),
        Math.toIntExact(length),
        number,
        fileId,
        offset,
        payloadCrc);
  }

  private static FdtException violation(String message) {
    return new FdtException(ErrorCode.PROTOCOL, message);
  }
}
