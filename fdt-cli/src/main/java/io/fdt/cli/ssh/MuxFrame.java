package io.fdt.cli.ssh;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The unit of a {@link Mux}: a header, and for DATA its payload. Integers are big-endian.
 *
 * <pre>
 *  0      1             5            9
 *  +------+-------------+------------+----------------
 *  | kind | channel (4) | number (4) | payload of DATA
 *  +------+-------------+------------+----------------
 *  number: the length of the payload; of CREDIT, the additional bytes that may be sent; otherwise 0
 * </pre>
 *
 * @param number not negative
 * @param payload of DATA; otherwise empty
 */
record MuxFrame(Kind kind, int channel, int number, byte[] payload) {
  /** The kind of a frame; PING has no channel. */
  enum Kind {
    /** The channel begins; data may follow at once. */
    OPEN(1),
    DATA(2),
    /** The sender of this frame has room for more bytes. */
    CREDIT(3),
    /** The sender of this frame sends no more data on the channel. */
    END(4),
    /** Neither end sends more data on the channel. */
    RESET(5),
    /** A keepalive. */
    PING(6);

    private final byte code;

    Kind(int code) {
      this.code = (byte) code;
    }

    static Kind of(int code) throws IOException {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new IOException("not a frame of a tunnel: kind " + code);
    }
  }

  static final int HEADER_BYTES = 9;

  /** The longest payload: a slow pipe delays another channel by one such frame. */
  static final int MAX_PAYLOAD_BYTES = 64 << 10;

  private static final byte[] NOTHING = {};

  /** A frame without payload. */
  static byte[] header(Kind kind, int channel, int number) {
    byte[] frame = new byte[HEADER_BYTES];
    putHeader(frame, kind, channel, number);
    return frame;
  }

  /** Writes the header to the beginning of a buffer. */
  static void putHeader(byte[] buffer, Kind kind, int channel, int number) {
    ByteBuffer.wrap(buffer).put(kind.code).putInt(channel).putInt(number);
  }

  /**
   * Reads one frame; null at the end.
   *
   * @throws IOException the bytes are not a frame, or end within one
   */
  static MuxFrame read(DataInputStream in) throws IOException {
    int code = in.read();
    if (code < 0) {
      return null;
    }
    Kind kind = Kind.of(code);
    int channel = in.readInt();
    int number = in.readInt();
    int most = kind == Kind.DATA ? MAX_PAYLOAD_BYTES : kind == Kind.CREDIT ? Integer.MAX_VALUE : 0;
    if (number < 0 || number > most) {
      throw new IOException("not a frame of a tunnel: " + kind + " with " + number);
    }
    byte[] payload = kind == Kind.DATA ? in.readNBytes(number) : NOTHING;
    if (kind == Kind.DATA && payload.length < number) {
      throw new EOFException("a frame of a tunnel was cut");
    }
    return new MuxFrame(kind, channel, number, payload);
  }
}
