package io.fdt.core.journal;

import io.fdt.core.manifest.SourceVersion;
import io.fdt.core.manifest.Timestamp;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The first 72 bytes of a journal: of which version of which file it speaks, and since when.
 *
 * <pre>
 *   0        8         12     16     24          32        36    40         48         64    68     72
 *   +--------+---------+------+------+-----------+---------+-----+----------+----------+-----+------+
 *   |FDTJRNL | version | 0    | size | mtime sec | mtime ns| 0   | identity | boot id  | 0   | CRC  |
 *   +--------+---------+------+------+-----------+---------+-----+----------+----------+-----+------+
 * </pre>
 *
 * Big-endian; the checksum is the CRC32C of the 68 bytes before it.
 *
 * @param source the version of the source file
 * @param bootHigh upper half of the identity of the running system in which the journal was
 *     written: what that system wrote but did not force to the device is there as long as it runs,
 *     and unknown afterwards
 * @param bootLow lower half of it
 */
public record JournalHeader(SourceVersion source, long bootHigh, long bootLow) {
  /** Bytes of a header. */
  public static final int LENGTH = 72;

  /** The version of the format that this program writes. */
  public static final int VERSION = 1;

  private static final long MAGIC = 0x4644544A524E4C0AL; // "FDTJRNL\n"
  private static final int CRC_AT = 68;

  /** The bytes of this header. */
  public ByteBuffer encode() {
    ByteBuffer out = ByteBuffer.allocate(LENGTH);
    out.putLong(MAGIC).putInt(VERSION).putInt(0);
    out.putLong(source.size());
    out.putLong(source.modified().seconds()).putInt(source.modified().nanos()).putInt(0);
    out.putLong(source.identity());
    out.putLong(bootHigh).putLong(bootLow);
    out.putInt(0);
    out.putInt(crcOf(out));
    return out.flip();
  }

  /**
   * The header at the start of these bytes; empty when there is none that this program can trust.
   */
  public static Optional<JournalHeader> decode(ByteBuffer bytes) {
    if (bytes.remaining() < LENGTH) {
      return Optional.empty();
    }
    ByteBuffer in = bytes.slice(bytes.position(), LENGTH);
    int nanos = in.getInt(32);
    if (in.getLong(0) != MAGIC
        || in.getInt(8) != VERSION
        || in.getInt(CRC_AT) != crcOf(in)
        || in.getLong(16) < 0
        || nanos < 0
        || nanos > 999_999_999) {
      return Optional.empty();
    }
    return Optional.of(
        new JournalHeader(
            new SourceVersion(in.getLong(16), new Timestamp(in.getLong(24), nanos), in.getLong(40)),
            in.getLong(48),
            in.getLong(56)));
  }

  /** Whether these bytes begin a journal of a version that this program does not know. */
  public static boolean isOfOtherVersion(ByteBuffer bytes) {
    return bytes.remaining() >= 12
        && bytes.getLong(bytes.position()) == MAGIC
        && bytes.getInt(bytes.position() + 8) != VERSION;
  }

  private static int crcOf(ByteBuffer header) {
    CRC32C crc = new CRC32C();
    crc.update(header.slice(0, CRC_AT));
    return (int) crc.getValue();
  }
}
