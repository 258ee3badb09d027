package io.fdt.core.journal;

import io.fdt.core.model.CheckedRange;
import io.fdt.core.wire.Crc32cCombine;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The ranges of one file that a restart may trust, with their checksums; adjacent ranges are
 * merged.
 *
 * <p>In a journal each added range is a record of 24 bytes: start, end, CRC32C of the range of the
 * file, CRC32C of these 20 bytes. Replay stops at the first torn or damaged record.
 *
 * <p>Not thread-safe.
 */
public final class KeptRanges {
  /** Bytes of one record. */
  public static final int RECORD_LENGTH = 24;

  private static final int CRC_AT = 20;

  private final TreeMap<Long, CheckedRange> byStart = new TreeMap<>();

  /** Adds a range; one that overlaps existing ranges is ignored. Returns whether it was added. */
  public boolean add(CheckedRange range) {
    Map.Entry<Long, CheckedRange> before = byStart.floorEntry(range.start());
    Map.Entry<Long, CheckedRange> after = byStart.ceilingEntry(range.start());
    if ((before != null && before.getValue().end() > range.start())
        || (after != null && after.getValue().start() < range.end())) {
      return false;
    }
    CheckedRange merged = range;
    if (before != null && before.getValue().end() == range.start()) {
      merged = joined(before.getValue(), merged);
    }
    if (after != null && after.getValue().start() == range.end()) {
      byStart.remove(after.getKey());
      merged = joined(merged, after.getValue());
    }
    byStart.put(merged.start(), merged);
    return true;
  }

  /** Adds a new range, unless it is empty. */
  public void add(long start, long end, int crc) {
    if (start < end) {
      add(new CheckedRange(start, end, crc));
    }
  }

  /** The checksum of the whole file, once there are no gaps. */
  public int crc() {
    if (byStart.isEmpty()) {
      return 0;
    }
    if (byStart.size() > 1 || byStart.firstKey() > 0) {
      throw new IllegalStateException(byStart.size() + " ranges, from " + byStart.firstKey());
    }
    return byStart.firstEntry().getValue().crc();
  }

  private static CheckedRange joined(CheckedRange a, CheckedRange b) {
    return new CheckedRange(
        a.start(), b.end(), Crc32cCombine.combine(a.crc(), b.crc(), b.length()));
  }

  /** Whether all of a range is kept. */
  public boolean covers(CheckedRange range) {
    Map.Entry<Long, CheckedRange> before = byStart.floorEntry(range.start());
    return before != null && before.getValue().end() >= range.end();
  }

  /** The merged ranges, in order. */
  public List<CheckedRange> ranges() {
    return new ArrayList<>(byStart.values());
  }

  /** The number of merged ranges. */
  public int count() {
    return byStart.size();
  }

  public boolean isEmpty() {
    return byStart.isEmpty();
  }

  /** The record of one range. */
  public static ByteBuffer record(CheckedRange range) {
    ByteBuffer out = ByteBuffer.allocate(RECORD_LENGTH);
    out.putLong(range.start()).putLong(range.end()).putInt(range.crc());
    out.putInt(crcOf(out, 0));
    return out.flip();
  }

  /**
   * The ranges of the records, up to the first record that is torn, damaged, invalid, or beyond
   * {@code size}.
   *
   * @param records the bytes of a journal after its header
   */
  public static KeptRanges replay(ByteBuffer records, long size) {
    KeptRanges kept = new KeptRanges();
    for (int at = records.position(); records.limit() - at >= RECORD_LENGTH; at += RECORD_LENGTH) {
      long start = records.getLong(at);
      long end = records.getLong(at + 8);
      if (records.getInt(at + CRC_AT) != crcOf(records, at)
          || start < 0
          || end <= start
          || end > size) {
        break;
      }
      kept.add(new CheckedRange(start, end, records.getInt(at + 16)));
    }
    return kept;
  }

  private static int crcOf(ByteBuffer record, int at) {
    CRC32C crc = new CRC32C();
    crc.update(record.slice(at, CRC_AT));
    return (int) crc.getValue();
  }
}
