package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;

/**
 * The fixed start of every frame on a data connection: 40 bytes, big-endian; the payload follows.
 *
 * <pre>
 *   0       1       2               4               6               8
 *   +-------+-------+---------------+-------------------------------+
 *   | type  | flags |       0       |       length of payload       |
 *   +-------+-------+---------------+-------------------------------+
 *   |                            number                             |  8
 *   +---------------------------------------------------------------+
 *   |                            file id                            | 16
 *   +---------------------------------------------------------------+
 *   |                            offset                             | 24
 *   +-------------------------------+-------------------------------+
 *   |      CRC-32C of payload       |    CRC-32C of bytes 0..35     | 32
 *   +-------------------------------+-------------------------------+ 40
 *
 *   type    file id                       offset             payload
 *   BLOCK   id of the file                where it belongs   bytes of that file
 *   PACK    number of records             0                  records, see {@link Pack}
 *   IDLE    0                             0                  none: the stream is alive
 * </pre>
 *
 * <p>Immutable.
 *
 * @param type what the payload is
 * @param length bytes of the payload
 * @param number position in the stream; frames of one stream count up from 0
 * @param fileId see the table above
 * @param offset see the table above
 * @param payloadCrc CRC-32C of the payload
 */
public record FrameHeader(
    Type type, int length, long number, long fileId, long offset, int payloadCrc) {
  /** Bytes of a header. */
  public static final int LENGTH = 40;

  private static final int CHECKED_LENGTH = 36;

  /** What a frame carries. */
  public enum Type {
    /** One block of one file. */
    BLOCK(1),
    /** Several whole small files. */
    PACK(2),
    /** Nothing. */
    IDLE(3);

    private final int wireCode;

    Type(int wireCode) {
      this.wireCode = wireCode;
    }

    /** The number that stands for it on the wire. */
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
  }

  /** The header of a frame with one block of one file. */
  public static FrameHeader block(long number, long fileId, long offset, int length, int crc) {
    return new FrameHeader(Type.BLOCK, length, number, fileId, offset, crc);
  }

  /** The header of a frame with several whole files. */
  public static FrameHeader pack(long number, int records, int length, int crc) {
    return new FrameHeader(Type.PACK, length, number, records, 0, crc);
  }

  /** The header, and all, of a frame that says nothing. */
  public static FrameHeader idle(long number) {
    return new FrameHeader(Type.IDLE, 0, number, 0, 0, 0);
  }

  /** Appends the 40 bytes. */
  public void write(ByteBuf out) {
    out.ensureWritable(LENGTH);
    writeAt(out, out.writerIndex());
    out.writerIndex(out.writerIndex() + LENGTH);
  }

  /** Puts the 40 bytes where there is room for them already; the buffer's indices stay. */
  public void writeAt(ByteBuf out, int index) {
    out.setByte(index, type.wireCode);
    out.setByte(index + 1, 0);
    out.setShort(index + 2, 0);
    out.setInt(index + 4, length);
    out.setLong(index + 8, number);
    out.setLong(index + 16, fileId);
    out.setLong(index + 24, offset);
    out.setInt(index + 32, payloadCrc);
    out.setInt(index + CHECKED_LENGTH, Crc32c.of(out, index, CHECKED_LENGTH));
  }

  /**
   * Takes 40 bytes and believes nothing of them that is not checked.
   *
   * @param maxPayload the longest payload that the session agreed on
   * @throws FdtException PROTOCOL when they are damaged or break a rule; the stream cannot go on
   * @throws IndexOutOfBoundsException when there are fewer bytes
   */
  public static FrameHeader read(ByteBuf in, int maxPayload) throws FdtException {
    WireBytes.requireReadable(in, LENGTH, "a frame header");
    int computed = Crc32c.of(in, in.readerIndex(), CHECKED_LENGTH);
    int typeCode = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int reserved = in.readUnsignedShort();
    long length = in.readUnsignedInt();
    long number = in.readLong();
    long fileId = in.readLong();
    long offset = in.readLong();
    int payloadCrc = in.readInt();
    int stated = in.readInt();
    if (computed != stated) {
      throw violation(
          "frame header damaged: stated=%08x computed=%08x".formatted(stated, computed));
    }
    Type type = Type.ofWireCode(typeCode);
    if (flags != 0 || reserved != 0) {
      throw violation("frame with flags=" + flags + " reserved=" + reserved);
    }
    if (length > maxPayload) {
      throw violation("frame of " + length + " bytes, at most " + maxPayload + " are agreed");
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
    if (type == Type.IDLE && (fileId != 0 || length != 0 || payloadCrc != 0)) {
      throw violation("IDLE frame that carries something: file=" + fileId + " length=" + length);
    }
    return new FrameHeader(type, Math.toIntExact(length), number, fileId, offset, payloadCrc);
  }

  private static FdtException violation(String message) {
    return new FdtException(ErrorCode.PROTOCOL, message);
  }
}
