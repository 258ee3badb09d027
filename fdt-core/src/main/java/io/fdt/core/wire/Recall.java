package io.fdt.core.wire;

import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The name of a frame in place of the frame itself, for a relay that may have its payload in its
 * spool. The payload of a {@link FrameHeader.Type#RECALL} frame:
 *
 * <pre>
 *   header of the frame that it stands for (44) | SHA-256 of the payload as it would be sent (32)
 * </pre>
 *
 * <p>A relay that has a payload with this digest sends header and payload instead. Otherwise the
 * frame reaches the receiver, which asks for it as for a damaged one. Immutable.
 *
 * @param frame the header that the frame would have
 * @param digest SHA-256 of its payload, encoded if the header says so
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes it, or compares names
public record Recall(FrameHeader frame, byte[] digest) {
  /** Bytes of the payload. */
  public static final int LENGTH = FrameHeader.LENGTH + 32;

  /** Bytes of the whole frame. */
  public static final int FRAME_LENGTH = FrameHeader.LENGTH + LENGTH;

  /** A shorter payload costs as much to ask for as to send. */
  public static final int LEAST_PAYLOAD = 1 << 10;

  /** A longer one would take a relay too much memory, which reads it whole. */
  public static final int MOST_PAYLOAD = 8 << 20;

  /** Bytes of each key in a list. */
  public static final int HELD_LENGTH = Long.BYTES;

  /** A whole list, in bytes. */
  public static final int MOST_HELD_BYTES = 4096 * HELD_LENGTH;

  private static final int DIGEST_LENGTH = LENGTH - FrameHeader.LENGTH;

  /** Whether a frame with this header is worth a name. */
  public static boolean names(FrameHeader header) {
    return hasPayload(header.type())
        && header.wireLength() >= LEAST_PAYLOAD
        && header.wireLength() <= MOST_PAYLOAD;
  }

  /** What a relay tells of a frame that it holds: CRC-32C and length of its plain payload. */
  public static long key(FrameHeader header) {
    return (long) header.payloadCrc() << Integer.SIZE | header.length();
  }

  private static boolean hasPayload(FrameHeader.Type type) {
    return type == FrameHeader.Type.BLOCK || type == FrameHeader.Type.PACK;
  }

  /** SHA-256 of the bytes of a buffer, whose indices stay. */
  public static byte[] digest(ByteBuf bytes, int index, int length) {
    MessageDigest sha256;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
    sha256.update(bytes.nioBuffer(index, length));
    return sha256.digest();
  }

  /** Appends the whole frame; it has the number of the one that it stands for. */
  public void write(ByteBuf out) {
    int start = out.writerIndex();
    out.ensureWritable(FRAME_LENGTH);
    out.writerIndex(start + FrameHeader.LENGTH);
    frame.write(out);
    out.writeBytes(digest);
    int crc = Crc32c.of(out, start + FrameHeader.LENGTH, LENGTH);
    FrameHeader.recall(frame.number(), crc).writeAt(out, start);
  }

  /**
   * Reads the payload.
   *
   * @param outer the header of the RECALL frame
   * @param in has all of the payload
   * @throws FdtException PROTOCOL: it is damaged, or names none
   */
  public static Recall read(FrameHeader outer, ByteBuf in) throws FdtException {
    WireBytes.requireReadable(in, LENGTH, "the name of a frame");
    if (Crc32c.of(in, in.readerIndex(), LENGTH) != outer.payloadCrc()) {
      throw FrameHeader.violation("the name of a frame is damaged");
    }
    FrameHeader frame = FrameHeader.read(in, Integer.MAX_VALUE);
    if (!hasPayload(frame.type()) || frame.number() != outer.number()) {
      throw FrameHeader.violation(
          "the name of frame %2$d of type %1$s in place of %3$d"
              .formatted(frame.type(), frame.number(), outer.number()));
    }
    byte[] digest = new byte[DIGEST_LENGTH];
    in.readBytes(digest);
    return new Recall(frame, digest);
  }
}
