package io.fdt.core.wire;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.PathText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The first 16 bytes of every connection, in both directions.
 *
 * <pre>
 *   0       1       2       3       4       5       6       7       8
 *   +-------+-------+-------+-------+-------+-------+-------+-------+
 *   | 0x89  |  'F'  |  'D'  |  'T'  | 0x0D  | 0x0A  | 0x1A  | 0x0A  |
 *   +-------+-------+-------+-------+-------+-------+-------+-------+
 *   |    version    | kind  | flags |            refusal            |
 *   +-------+-------+-------+-------+-------+-------+-------+-------+
 * </pre>
 *
 * <p>The magic follows PNG's: it cannot be text, and it breaks when a device on the path rewrites
 * line ends or clears the eighth bit. Immutable.
 *
 * @param version version of the protocol
 * @param kind purpose of the connection
 * @param flags 0; 1 on a data connection that continues in TLS; 2 on a control connection whose
 *     client has a certificate; 4 on a data connection over UDP whose packets are encrypted after
 *     the join
 * @param refusal 0, or in an answer the wire code of the refusal
 */
public record Preface(int version, Kind kind, int flags, int refusal) {
  /** Bytes of a preface. */
  public static final int LENGTH = 16;

  /** The version that this program speaks. */
  public static final int VERSION = 3;

  private static final byte[] MAGIC = {(byte) 0x89, 'F', 'D', 'T', 0x0D, 0x0A, 0x1A, 0x0A};
  private static final int ENCRYPTED = 1;
  private static final int IDENTIFIED = 2;
  private static final int SEALED = 4;
  private static final int MAX_QUOTED = 40;

  /** The purpose of a connection. */
  public enum Kind {
    /** The server's answer on any connection. */
    ANSWER(0),
    /** The client opens a control connection. */
    CONTROL(1),
    /** The client opens a data connection; a {@link Join} follows. */
    DATA(2),
    /** The client asks a relay to forward; a {@link Join} follows. */
    RELAY(3);

    private final int wireCode;

    Kind(int wireCode) {
      this.wireCode = wireCode;
    }

    private static Kind ofWireCode(int wireCode) throws FdtException {
      for (Kind kind : values()) {
        if (kind.wireCode == wireCode) {
          return kind;
        }
      }
      throw new FdtException(ErrorCode.PROTOCOL, "unknown kind of connection: " + wireCode);
    }
  }

  public Preface {
    if (version < 0 || version > 0xFFFF || flags < 0 || flags > 0xFF) {
      throw new IllegalArgumentException("version " + version + ", flags " + flags);
    }
    if (refusal != 0 && kind != Kind.ANSWER) {
      throw new IllegalArgumentException("refusal " + refusal + " by a client");
    }
  }

  /** A preface without a refusal. */
  public Preface(int version, Kind kind, int flags) {
    this(version, kind, flags, 0);
  }

  /** The preface of a data connection that continues in TLS. */
  public static Preface ofEncryptedData() {
    return new Preface(VERSION, Kind.DATA, ENCRYPTED);
  }

  /** The preface of a data connection whose packets are encrypted after the join. */
  public static Preface ofSealedData() {
    return new Preface(VERSION, Kind.DATA, SEALED);
  }

  /** Whether packets are encrypted after the join. */
  public boolean isSealed() {
    return (flags & SEALED) != 0;
  }

  /** The preface of a control connection whose client has a certificate. */
  public static Preface ofIdentifiedControl() {
    return new Preface(VERSION, Kind.CONTROL, IDENTIFIED);
  }

  /** Whether the client of a control connection has a certificate. */
  public boolean isIdentified() {
    return (flags & IDENTIFIED) != 0;
  }

  /** Whether TLS follows although the connection does not require it. */
  public boolean isEncrypted() {
    return (flags & ENCRYPTED) != 0;
  }

  /** The answer of a server that refuses the connection. */
  public static Preface refusing(ErrorCode reason) {
    return new Preface(VERSION, Kind.ANSWER, 0, reason.wireCode());
  }

  /** The preface of this program for a connection of this kind. */
  public static Preface of(Kind kind) {
    return new Preface(VERSION, kind, 0);
  }

  /** Appends the 16 bytes. */
  public void write(ByteBuf out) {
    out.writeBytes(MAGIC);
    out.writeShort(version);
    out.writeByte(kind.wireCode);
    out.writeByte(flags);
    out.writeInt(refusal);
  }

  /**
   * Reads 16 bytes.
   *
   * @throws FdtException NOT_FDT for another magic; VERSION when the peer speaks another version;
   *     PROTOCOL for other invalid fields
   * @throws IndexOutOfBoundsException when there are fewer bytes
   */
  public static Preface read(ByteBuf in) throws FdtException {
    WireBytes.requireReadable(in, LENGTH, "a preface");
    checkStart(in);
    in.skipBytes(MAGIC.length);
    int version = in.readUnsignedShort();
    int kind = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int refusal = in.readInt();
    if (version != VERSION) {
      throw new FdtException(
          ErrorCode.VERSION,
          "the other side speaks version "
              + version
              + " of the FDT protocol, this program speaks version "
              + VERSION
              + ": use the same release at both ends");
    }
    Kind known = Kind.ofWireCode(kind);
    int allowedFlags =
        switch (known) {
          case DATA -> flags == SEALED ? SEALED : ENCRYPTED;
          case CONTROL -> IDENTIFIED;
          case ANSWER, RELAY -> 0;
        };
    if ((flags & ~allowedFlags) != 0 || (refusal != 0 && known != Kind.ANSWER)) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "preface with flags=" + flags + " refusal=" + refusal);
    }
    return new Preface(version, known, flags, refusal);
  }

  /**
   * Checks the bytes so far, possibly less than a preface, without consuming them.
   *
   * @throws FdtException NOT_FDT as soon as it cannot become a preface of FDT
   */
  public static void checkStart(ByteBuf in) throws FdtException {
    int length = Math.min(in.readableBytes(), MAGIC.length);
    for (int i = 0; i < length; i++) {
      if (in.getByte(in.readerIndex() + i) != MAGIC[i]) {
        throw new FdtException(ErrorCode.NOT_FDT, describe(in));
      }
    }
  }

  private static String describe(ByteBuf in) {
    int length = Math.min(in.readableBytes(), MAX_QUOTED);
    byte[] start = ByteBufUtil.getBytes(in, in.readerIndex(), length);
    String quoted = PathText.escape(start);
    if (quoted.length() > MAX_QUOTED) {
      quoted = quoted.substring(0, MAX_QUOTED - 3) + "...";
    } else if (in.readableBytes() > MAX_QUOTED) {
      quoted = quoted.substring(0, Math.min(quoted.length(), MAX_QUOTED - 3)) + "...";
    }
    return "the other side does not speak FDT: it " + guess(start) + ": '" + quoted + "'";
  }

  private static String guess(byte[] start) {
    String text = new String(start, StandardCharsets.ISO_8859_1);
    if (text.startsWith("SSH-")) {
      return "speaks like an SSH server";
    }
    if (text.startsWith("HTTP/")) {
      return "answered like an HTTP server";
    }
    if (text.matches("(?s)(GET|HEAD|POST|PUT|OPTIONS|CONNECT|PRI) .*")) {
      return "asked like an HTTP client";
    }
    if (start.length > 1 && (start[0] == 0x15 || start[0] == 0x16) && start[1] == 0x03) {
      return "speaks TLS";
    }
    if (Arrays.equals(start, 0, Math.min(4, start.length), MAGIC, 0, Math.min(4, start.length))) {
      return "sent a damaged preface (a device on the path changes bytes)";
    }
    return "sent something else";
  }
}
