package io.fdt.plan;

import io.fdt.client.FileProblem;
import io.fdt.client.SourceListing;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.json.Json;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Divides the entries of a listing into units, and writes them. A restarted planner keeps identical
 * units in its directory.
 *
 * <pre>
 *   file larger than a unit -> a unit for each of its ranges, and one for the whole; one unit
 *                              if it cannot be cut
 *   any other file          -> the current unit, or the next one if that is full
 * </pre>
 *
 * <p>Memory: the names of one unit. Called as a {@link SourceListing.Visitor}; not thread-safe.
 */
public final class Planner implements SourceListing.Visitor, AutoCloseable {
  /** The smallest file to cut; smaller ones have no journal and cannot be resumed. */
  private static final long LEAST_CUT_BYTES = 4L << 20;

  private final PlanFiles files;
  private final PlanHeader header;
  private final Consumer<FileProblem> problems;
  private final Path unfinishedIndex;
  private final BufferedWriter index;
  private final PlannerLock lock;
  private UnitText current = new UnitText();
  private int units;
  private int unitsKept;
  private long allFiles;
  private long allBytes;
  private long problemCount;
  private long failureCount;

  private Planner(
      PlanFiles files,
      PlanHeader header,
      Consumer<FileProblem> problems,
      BufferedWriter index,
      PlannerLock lock) {
    this.files = files;
    this.lock = lock;
    this.header = header;
    this.problems = problems;
    this.unfinishedIndex = unfinishedIndex(files);
    this.index = index;
  }

  private static Path unfinishedIndex(PlanFiles files) {
    return files.index().resolveSibling("index.jsonl.part");
  }

  /**
   * Begins a plan, or continues an unfinished one.
   *
   * @param header the copy; an unfinished plan keeps the time from which ages count
   * @param problems takes entries that cannot be listed
   * @throws FdtException USAGE when the directory holds units of another copy, or a finished plan;
   *     IN_USE when another planner uses it
   */
  public static Planner start(Path directory, PlanHeader header, Consumer<FileProblem> problems)
      throws FdtException {
    PlanFiles files = new PlanFiles(directory);
    try {
      Files.createDirectories(directory);
      checkNotForeign(directory, files);
    } catch (IOException e) {
      throw PlanFiles.failure("plan in", directory, e);
    }
    PlannerLock lock = PlannerLock.take(files);
    try {
      return start(directory, files, header, problems, lock);
    } catch (IOException e) {
      lock.close();
      throw PlanFiles.failure("plan in", directory, e);
    }
  }

  /** Refuses a directory with other content. */
  private static void checkNotForeign(Path directory, PlanFiles files) throws IOException {
    if (Files.exists(files.header()) || Files.exists(files.unfinishedHeader())) {
      return;
    }
    try (var names = Files.list(directory)) {
      if (names.anyMatch(
          path -> !path.equals(files.plannerLock()) && !PlanFiles.isUnfinished(path))) {
        throw new FdtException(
            ErrorCode.USAGE, "'" + directory + "' is not empty; choose another directory");
      }
    }
  }

  private static Planner start(
      Path directory,
      PlanFiles files,
      PlanHeader header,
      Consumer<FileProblem> problems,
      PlannerLock lock)
      throws IOException {
    if (Files.exists(files.header())) {
      throw new FdtException(
          ErrorCode.USAGE, "'" + directory + "' holds a plan already; choose another directory");
    }
    PlanHeader begun = begun(directory, files, header);
    return new Planner(
        files,
        begun,
        problems,
        Files.newBufferedWriter(unfinishedIndex(files), StandardCharsets.UTF_8),
        lock);
  }

  /** The header of the unfinished plan. A header without any unit is replaced. */
  private static PlanHeader begun(Path directory, PlanFiles files, PlanHeader header)
      throws FdtException {
    Path file = files.unfinishedHeader();
    if (Files.exists(file)) {
      PlanHeader begun = PlanHeader.decode(PlanFiles.read(file), file.toString());
      if (begun.isSameCopy(header)) {
        return begun;
      }
      if (Files.exists(files.unit(0))) {
        throw new FdtException(
            ErrorCode.USAGE,
            "'" + directory + "' holds the unfinished plan of another copy; remove it first");
      }
    }
    PlanFiles.write(file, header.encode(null));
    return header;
  }

  /** The header of the plan, possibly from an earlier planner. */
  public PlanHeader header() {
    return header;
  }

  /** The number of kept units of an earlier planner so far. */
  public int unitsKept() {
    return unitsKept;
  }

  /** The number of files and links so far. */
  public long files() {
    return allFiles;
  }

  @Override
  public void file(SourceListing.Directory directory, FileName name, EntryKind kind, long size)
      throws FdtException {
    if (isCut(kind, size)) {
      BytePath last = BytePath.of(name.bytes());
      addCut(
          new Operand(
              directory.source().resolve(last), Optional.of(directory.arrival().resolve(last))),
          size);
      return;
    }
    UnitText unit = unitFor(size, UnitText.pathLength(directory, name));
    unit.add(directory, name, size);
    added(unit, size);
  }

  @Override
  public void operand(Operand operand, EntryKind kind, long size) throws FdtException {
    if (isCut(kind, size)) {
      addCut(named(operand), size);
      return;
    }
    UnitText unit = unitFor(size, UnitText.pathLength(operand));
    unit.add(named(operand), size);
    added(unit, size);
  }

  private boolean isCut(EntryKind kind, long size) {
    return kind == EntryKind.FILE
        && size > header.limits().bytes()
        && size >= LEAST_CUT_BYTES
        && header.mayCut()
        && FileCut.of(size, header.limits().bytes()).count() > 1;
  }

  private void addCut(Operand operand, long size) throws FdtException {
    FileCut cut = FileCut.of(size, header.limits().bytes());
    for (int index = 0; index < cut.count(); index++) {
      UnitText range = new UnitText();
      range.addRange(operand, cut, index);
      write(range, 0);
    }
    UnitText whole = new UnitText();
    whole.addWhole(operand, cut);
    write(whole, cut.count());
    allFiles++;
    allBytes += size;
  }

  /** A single source keeps its operand: the destination may be its new name. */
  private Operand named(Operand operand) {
    return header.spec().sources().size() == 1 ? operand : Units.withTarget(operand);
  }

  @Override
  public void problem(FileProblem problem) {
    problemCount++;
    failureCount += problem.skipped() ? 0 : 1;
    problems.accept(problem);
  }

  private UnitText unitFor(long size, int pathLength) throws FdtException {
    if (size > header.limits().bytes()) {
      return new UnitText();
    }
    if (!current.hasRoom(size, pathLength, header.limits())) {
      write(current, 0);
      current = new UnitText();
    }
    return current;
  }

  private void added(UnitText unit, long size) throws FdtException {
    allFiles++;
    allBytes += size;
    if (unit != current) {
      write(unit, 0);
    }
  }

  /**
   * @param ranges number of units directly before this one with ranges of its file
   */
  private void write(UnitText unit, int ranges) throws FdtException {
    int number = units++;
    byte[] text = unit.end(number);
    Path file = files.unit(number);
    if (Files.exists(file) && Arrays.equals(PlanFiles.read(file), text)) {
      unitsKept++;
    } else {
      PlanFiles.write(file, text);
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("bytes", unit.bytes());
    line.put("files", unit.files());
    line.put("crc32c", UnitText.checksum(text, text.length));
    if (ranges > 0) {
      line.put(UnitText.RANGES, ranges);
    }
    try {
      index.write(Json.text(line));
      index.write('\n');
    } catch (IOException e) {
      throw PlanFiles.failure("write", unfinishedIndex, e);
    }
  }

  /** Finishes the plan: workers can claim its units from now on. Called once. */
  public PlanTotals finish() throws FdtException {
    if (current.files() > 0) {
      write(current, 0);
      current = new UnitText();
    }
    try {
      index.close();
      try (FileChannel written = FileChannel.open(unfinishedIndex, StandardOpenOption.WRITE)) {
        written.force(true);
      }
      Files.move(unfinishedIndex, files.index(), StandardCopyOption.ATOMIC_MOVE);
      for (int number = units; Files.deleteIfExists(files.unit(number)); ) {
        number++; // of a planner before, which found more
      }
    } catch (IOException e) {
      throw PlanFiles.failure("write", files.index(), e);
    }
    PlanTotals totals = new PlanTotals(units, allFiles, allBytes, problemCount, failureCount);
    PlanFiles.write(files.header(), header.encode(totals));
    try {
      Files.deleteIfExists(files.unfinishedHeader());
    } catch (IOException e) {
      throw PlanFiles.failure("remove", files.unfinishedHeader(), e);
    }
    lock.remove();
    return totals;
  }

  /** Closes open files. An unfinished plan can be continued. Idempotent. */
  @Override
  public void close() throws FdtException {
    try {
      index.close();
    } catch (IOException e) {
      throw PlanFiles.failure("write", unfinishedIndex, e);
    } finally {
      lock.close();
    }
  }
}
