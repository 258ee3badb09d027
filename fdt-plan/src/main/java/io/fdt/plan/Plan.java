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
import java.util.Map;

/** A whole plan, ready for workers. Immutable; any thread. */
public final class Plan {
  private final PlanFiles files;
  private final PlanHeader header;
  private final PlanTotals totals;
  private final long[] unitBytes;

  private Plan(PlanFiles files, PlanHeader header, PlanTotals totals, long[] unitBytes) {
    this.files = files;
    this.header = header;
    this.totals = totals;
    this.unitBytes = unitBytes;
  }

  /**
   * Opens a plan. Memory: 8 bytes for each unit.
   *
   * @throws FdtException NOT_FOUND when there is none, or it is not finished; VERSION; IO when it
   *     is damaged
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
    return new Plan(files, header, totals, readIndex(files, totals.units()));
  }

  private static long[] readIndex(PlanFiles files, int units) throws FdtException {
    String where = files.index().toString();
    long[] bytes = new long[units];
    try (BufferedReader lines = Files.newBufferedReader(files.index(), StandardCharsets.UTF_8)) {
      for (int unit = 0; unit < units; unit++) {
        String line = lines.readLine();
        if (line == null) {
          throw Json.damaged(where, "units are missing", null);
        }
        Map<String, Object> object = Json.parse(line, where);
        bytes[unit] = Json.number(object, "bytes", where);
      }
      return bytes;
    } catch (IOException e) {
      throw PlanFiles.failure("read", files.index(), e);
    }
  }

  /** What it is for. */
  public PlanHeader header() {
    return header;
  }

  /** What it holds. */
  public PlanTotals totals() {
    return totals;
  }

  /** Bytes of each unit. */
  long[] unitBytes() {
    return Arrays.copyOf(unitBytes, unitBytes.length);
  }

  /** Where it is. */
  public Path directory() {
    return files.header().getParent();
  }

  PlanFiles files() {
    return files;
  }

  /**
   * The transfer of a unit.
   *
   * @param number 0 to that of units less 1
   * @throws FdtException IO when the unit is damaged
   */
  public TransferRequest transfer(int number) throws FdtException {
    Path file = files.unit(number);
    return Units.transfer(header, number, PlanFiles.read(file), file.toString());
  }
}
