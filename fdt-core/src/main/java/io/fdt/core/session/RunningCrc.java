package io.fdt.core.session;

import io.fdt.core.wire.Crc32cCombine;
import java.util.Map;
import java.util.TreeMap;

/**
 * The CRC32C of a file whose size is not known, of its blocks in any order.
 *
 * <pre>
 *   |--- one piece ---|- missing -|- another -|        pieces that meet become one
 * </pre>
 *
 * <p>Not thread-safe: confined to the thread of its session.
 */
public final class RunningCrc {
  private record Piece(long end, int crc) {}

  /** Pieces that do not touch, by their starts. */
  private final TreeMap<Long, Piece> pieces = new TreeMap<>();

  /** A block that was not added before, with its checksum. */
  public void add(long start, long end, int crc) {
    if (start == end) {
      return;
    }
    long from = start;
    long to = end;
    int joined = crc;
    Map.Entry<Long, Piece> before = pieces.floorEntry(start);
    if (before != null && before.getValue().end() == start) {
      from = before.getKey();
      joined ^= Crc32cCombine.shift(before.getValue().crc(), end - start);
    }
    Piece after = pieces.remove(end);
    if (after != null) {
      joined = Crc32cCombine.shift(joined, after.end() - end) ^ after.crc();
      to = after.end();
    }
    pieces.put(from, new Piece(to, joined));
  }

  /** The checksum of the file, once there is no gap left. */
  public int value() {
    if (pieces.isEmpty()) {
      return 0;
    }
    if (pieces.size() > 1 || pieces.firstKey() > 0) {
      throw new IllegalStateException(pieces.size() + " pieces, from " + pieces.firstKey());
    }
    return pieces.firstEntry().getValue().crc();
  }
}
