package io.fdt.core.journal;

import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The start of a journal: the version of the file that it belongs to, and the running system that
 * wrote it.
 *
 * <pre>
 *   0         8         12            16     24          32         36    40         48
 *   +---------+---------+-------------+------+-----------+----------+-----+----------+---------+
 *   | FDTJRNL | version | name length | size | mtime sec | mtime ns | cut | identity | boot id |
 *   +---------+---------+-------------+------+-----------+----------+-----+----------+---------+
 *   | ctime sec | ctime ns | age of ctime | name | CRC |
 *   +-----------+----------+--------------+------+-----+
 *   64          72         76             80
 * </pre>
 *
 * <p>Big-endian; the checksum is the CRC32C of all bytes before it. A cut is the length of the
 * ranges in MiB; 0 for none. The age is 0 for an unknown ctime, 1 for a recent one at the listing,
 * 2 for an old one ({@link FileStamp#isOld}).
 *
 * <p>The journal of a file that is cut has no ranges, and in place of the boot id a random number
 * that identifies this partial file. The journal of a range has that number once the whole range is
 * verified and on the device; before, its upper half is 0.
 *
 * @param name the final name of the file, for people who find only the journal
 * @param source the version of the source file
 * @param bootHigh upper half of the boot id of the system that wrote the journal: bytes not forced
 *     to the device are valid until it restarts
 * @param bootLow lower half of the boot id
 * @param cut the cut of the file into ranges; empty when one transfer writes all of it
 */
public record JournalHeader(
    FileName name, SourceVersion source, long bootHigh, long bootLow, Optional<FileCut> cut) {
  /** The version of the format that this program writes. */
  public static final int VERSION = 3;

  private static final long MAGIC = 0x4644544A524E4C0AL; // "FDTJRNL\n"
  private static final int NAME_AT = 80;
  private static final int CRC_LENGTH = 4;
  private static final int UNKNOWN = 0;
  private static final int YOUNG = 1;
  private static final int OLD = 2;
  private static final Timestamp EPOCH = new Timestamp(0, 0);

  /** Bytes of the longest header. */
  public static final int MAX_LENGTH = NAME_AT + FileName.MAX_LENGTH + CRC_LENGTH;

  /** The header for a file that one transfer writes. */
  public JournalHeader(FileName name, SourceVersion source, long bootHigh, long bootLow) {
    this(name, source, bootHigh, bootLow, Optional.empty());
  }

  /** Whether the boot id of the header, or the number in its place, is this one. */
  public boolean isOfBoot(long high, long low) {
    return bootHigh == high && bootLow == low;
  }

  /** Whether the header belongs to a range of the file of another journal. */
  public boolean isOfRangeOf(JournalHeader file) {
    return cut.isPresent()
        && cut.equals(file.cut)
        && name.equals(file.name)
        && source.looksLike(file.source);
  }

  /** Bytes of this header. */
  public int length() {
    return NAME_AT + name.length() + CRC_LENGTH;
  }

  /** The bytes of this header. */
  public ByteBuffer encode() {
    ByteBuffer out = ByteBuffer.allocate(length());
    out.putLong(MAGIC).putInt(VERSION).putInt(name.length());
    out.putLong(source.size());
    out.putLong(source.modified().seconds()).putInt(source.modified().nanos());
    out.putInt((int) (cut.map(FileCut::rangeBytes).orElse(0L) / FileCut.GRANULE));
    FileStamp stamp = source.stamp();
    out.putLong(stamp.identity());
    out.putLong(bootHigh).putLong(bootLow);
    Timestamp changed = stamp.changed() == null ? EPOCH : stamp.changed();
    out.putLong(changed.seconds()).putInt(changed.nanos()).putInt(ageOf(stamp));
    out.put(name.bytes());
    out.putInt(crcOf(out, length() - CRC_LENGTH));
    return out.flip();
  }

  /** The header at the start of these bytes; empty when it is invalid. */
  public static Optional<JournalHeader> decode(ByteBuffer bytes) {
    if (bytes.remaining() < NAME_AT) {
      return Optional.empty();
    }
    ByteBuffer in = bytes.slice();
    int nameLength = in.getInt(12);
    if (in.getLong(0) != MAGIC
        || in.getInt(8) != VERSION
        || nameLength < 1
        || nameLength > FileName.MAX_LENGTH
        || in.remaining() < NAME_AT + nameLength + CRC_LENGTH
        || in.getInt(NAME_AT + nameLength) != crcOf(in, NAME_AT + nameLength)) {
      return Optional.empty();
    }
    int nanos = in.getInt(32);
    int changedNanos = in.getInt(72);
    int age = in.getInt(76);
    long size = in.getLong(16);
    int granules = in.getInt(36);
    byte[] name = new byte[nameLength];
    in.get(NAME_AT, name);
    if (size < 0
        || nanos < 0
        || nanos > Timestamp.MAX_NANOS
        || changedNanos < 0
        || changedNanos > Timestamp.MAX_NANOS
        || age < UNKNOWN
        || age > OLD
        || granules < 0
        || (granules > 0
            && (size < 1 || (size - 1) / (granules * FileCut.GRANULE) >= FileCut.MAX_RANGES))
        || FileName.flawOf(name) != null) {
      return Optional.empty();
    }
    return Optional.of(
        new JournalHeader(
            FileName.of(name),
            new SourceVersion(
                size,
                new Timestamp(in.getLong(24), nanos),
                new FileStamp(
                    in.getLong(40),
                    age == UNKNOWN ? null : new Timestamp(in.getLong(64), changedNanos),
                    age == OLD)),
            in.getLong(48),
            in.getLong(56),
            granules == 0
                ? Optional.empty()
                : Optional.of(new FileCut(size, granules * FileCut.GRANULE))));
  }

  private static int ageOf(FileStamp stamp) {
    if (stamp.changed() == null) {
      return UNKNOWN;
    }
    return stamp.isOld() ? OLD : YOUNG;
  }

  /** Whether these bytes begin a journal of an unknown version, not one that lost its version. */
  public static boolean isOfOtherVersion(ByteBuffer bytes) {
    if (bytes.remaining() < 12 || bytes.getLong(bytes.position()) != MAGIC) {
      return false;
    }
    int version = bytes.getInt(bytes.position() + 8);
    return version > 0 && version != VERSION;
  }

  private static int crcOf(ByteBuffer header, int length) {
    CRC32C crc = new CRC32C();
    crc.update(header.slice(0, length));
    return (int) crc.getValue();
  }
}
