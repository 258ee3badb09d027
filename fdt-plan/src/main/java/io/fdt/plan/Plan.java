package io.fdt.plan;

import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.IntStream;

/** A finished plan, ready for workers. Immutable; any thread. */
public final class Plan {
  private final PlanFiles files;
  private final PlanHeader header;
  private final PlanTotals totals;
  private final long[] unitBytes;

  /** CRC32C of the text of each unit. */
  private final int[] checksums;

  /** The number of range units before the unit of a cut file, by that unit. */
  private final Map<Integer, Integer> ranges;

  private Plan(
      PlanFiles files,
      PlanHeader header,
      PlanTotals totals,
      long[] unitBytes,
      int[] checksums,
      Map<Integer, Integer> ranges) {
    this.checksums = checksums;
    this.ranges = ranges;
    this.files = files;
    this.header = header;
    this.totals = totals;
    this.unitBytes = unitBytes;
  }

  /**
   * Opens a plan. Memory: 12 bytes for each unit, and 100 for each file that is cut into ranges.
   *
   * @throws FdtException NOT_FOUND when it is missing or unfinished; USAGE when it has another
   *     version; IO when it is damaged
   */
  public static Plan open(Path directory) throws FdtException {
    PlanFiles files = new PlanFiles(directory);
    if (!Files.exists(files.header())) {
      throw new FdtException(
          ErrorCode.NOT_FOUND,
          Files.exists(files.unfinishedHeader())
              ? "the plan in '" + directory + "' is not finished: run fdt plan again"
              : "'" + directory + "' holds no plan: make one with fdt plan --dir");
    }
    String where = files.header().toString();
    byte[] text = PlanFiles.read(files.header());
    PlanHeader header = PlanHeader.decode(text, where);
    PlanTotals totals = PlanTotals.decode(text, where);
    return readIndex(files, header, totals);
  }

  private static Plan readIndex(PlanFiles files, PlanHeader header, PlanTotals totals)
      throws FdtException {
    String where = files.index().toString();
    // Grows with the lines, because the number in a damaged header is unreliable.
    long[] bytes = new long[0];
    int[] checksums = new int[0];
    Map<Integer, Integer> ranges = new HashMap<>();
    int unit = 0;
    try (BufferedReader lines = Files.newBufferedReader(files.index(), StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (unit == totals.units()) {
          throw PlanLine.damaged(where, "more than " + totals.units() + " units", null);
        }
        if (unit == bytes.length) {
          int room = (int) Math.min(totals.units(), Math.max(1000L, 2L * unit));
          bytes = Arrays.copyOf(bytes, room);
          checksums = Arrays.copyOf(checksums, room);
        }
        Map<String, Object> object = PlanLine.parse(line, where);
        bytes[unit] = PlanLine.number(object, "bytes", where);
        checksums[unit] = HexFormat.fromHexDigits(PlanLine.text(object, "crc32c", where));
        if (object.containsKey(UnitText.RANGES)) {
          long count = PlanLine.number(object, UnitText.RANGES, where);
          if (count < 1 || count > unit) {
            throw PlanLine.damaged(where, "unit " + unit + " of " + count + " ranges", null);
          }
          ranges.put(unit, (int) count);
        }
        unit++;
      }
      if (unit < totals.units()) {
        throw PlanLine.damaged(where, unit + " of " + totals.units() + " units", null);
      }
      return new Plan(files, header, totals, bytes, checksums, ranges);
    } catch (IllegalArgumentException e) {
      throw PlanLine.damaged(where, e.getMessage(), e);
    } catch (IOException e) {
      throw PlanFiles.failure("read", files.index(), e);
    }
  }

  public PlanHeader header() {
    return header;
  }

  public PlanTotals totals() {
    return totals;
  }

  public long[] unitBytes() {
    return Arrays.copyOf(unitBytes, unitBytes.length);
  }

  /** The number of range units directly before this unit of a cut file; 0 for other units. */
  public int rangesBefore(int unit) {
    return ranges.getOrDefault(unit, 0);
  }

  /** The unit of the whole file of a range unit; -1 for other units. */
  public int wholeOf(int unit) {
    for (Map.Entry<Integer, Integer> whole : ranges.entrySet()) {
      if (unit < whole.getKey() && unit >= whole.getKey() - whole.getValue()) {
        return whole.getKey();
      }
    }
    return -1;
  }

  public BitSet rangeUnits() {
    BitSet units = new BitSet();
    ranges.forEach((whole, count) -> units.set(whole - count, whole));
    return units;
  }

  public Path directory() {
    return files.header().getParent();
  }

  public PlanFiles files() {
    return files;
  }

  /** Units that can be copied at once, the largest first: all but {@link #wholesOfRanges}. */
  public int[] unitsBySize() {
    return IntStream.of(WorkOrder.of(unitBytes, 0, 1))
        .filter(unit -> !ranges.containsKey(unit))
        .toArray();
  }

  /** Units of cut files, to be copied after the units of their ranges. */
  public int[] wholesOfRanges() {
    return ranges.keySet().stream().mapToInt(Integer::intValue).sorted().toArray();
  }

  /**
   * The transfer of a unit.
   *
   * @param number 0 to the number of units less 1
   * @throws FdtException IO when the unit is damaged
   */
  public TransferRequest transfer(int number) throws FdtException {
    return Units.transfer(header, number, unitText(number), files.unit(number).toString());
  }

  /**
   * The text of a unit, for another process: {@link Units#transfer} reads it.
   *
   * @param number 0 to the number of units less 1
   * @throws FdtException IO when the text was changed
   */
  public byte[] unitText(int number) throws FdtException {
    Path file = files.unit(number);
    byte[] text = PlanFiles.read(file);
    if (!UnitText.checksum(text, text.length)
        .equals(HexFormat.of().toHexDigits(checksums[number]))) {
      throw PlanLine.damaged(file.toString(), "its checksum differs from that of the index", null);
    }
    return text;
  }
}
