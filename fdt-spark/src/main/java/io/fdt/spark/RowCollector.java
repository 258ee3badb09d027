package io.fdt.spark;

import io.fdt.cli.output.json.UnitEvents;
import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The outcomes of the files of one unit over all attempts of one task: the last one of each file,
 * except that {@code done} is preferred to a later {@code unchanged}. Any thread.
 */
final class RowCollector implements TransferListener {
  /** The path of a problem of the whole unit. */
  private static final String WHOLE = "";

  private final Map<String, FileRow> files = new LinkedHashMap<>();
  private final List<String> events = new ArrayList<>();
  private final UnitEvents format = new UnitEvents(Optional.empty());
  private final TransferListener forward;
  private final boolean isRange;
  private long bytesMoved;
  private long bytesKept;
  private int exitStatus;

  /** Whether the current attempt met a file in use. */
  private boolean anyInUse;

  /** Whether a file of the current attempt failed and may succeed later. */
  private boolean anyForLater;

  /**
   * @param keepsEvents whether lines for the report are kept
   * @param isRange whether it is a range; another unit reports the file
   */
  RowCollector(boolean keepsEvents, boolean isRange) {
    this.isRange = isRange;
    forward = keepsEvents ? format.files(this::addEvent) : TransferListener.NONE;
  }

  private synchronized void addEvent(String line) {
    events.add(line);
  }

  synchronized void begin() {
    files.remove(WHOLE); // only the failure of the last attempt counts
    anyInUse = false;
    anyForLater = false;
  }

  synchronized void end(TransferReport report) {
    bytesMoved += report.figures().bytesDone();
    bytesKept += report.figures().bytesKept();
    exitStatus = report.exitStatus();
    if (forward != TransferListener.NONE) {
      events.add(format.summary(report, exitStatus));
    }
    report
        .failure()
        .ifPresent(
            code -> put(FileRow.problem(WHOLE, false, code.name(), report.failureMessage())));
  }

  /** Whether another transfer is writing one of the files. */
  synchronized boolean isAnyInUse() {
    return anyInUse;
  }

  /** Whether a failed file may succeed later. */
  synchronized boolean isAnyForLater() {
    return anyForLater;
  }

  synchronized UnitResult result(int unit, int attempt, String node) {
    List<FileRow> all = isRange ? List.of() : List.copyOf(files.values());
    UnitFigures figures = UnitFigures.of(all, bytesMoved, bytesKept, isRange ? 0 : exitStatus);
    return new UnitResult(unit, attempt, node, exitStatus, figures, all, events);
  }

  private synchronized void put(FileRow row) {
    FileRow before = files.get(row.path());
    boolean isOlderTrue =
        before != null
            && before.fate().equals(FileRow.DONE)
            && row.fate().equals(FileRow.UNCHANGED);
    if (!isOlderTrue) {
      files.put(row.path(), row);
    }
  }

  @Override
  public void fileDone(DoneFile file) {
    put(FileRow.done(file.path(), file.size(), file.digest(), file.construction()));
    forward.fileDone(file);
  }

  @Override
  public void fileUnchanged(FoundFile file) {
    put(FileRow.found(file.path(), FileRow.UNCHANGED, file.size()));
    forward.fileUnchanged(file);
  }

  @Override
  public void fileDue(FoundFile file) {
    put(FileRow.found(file.path(), FileRow.DUE, file.size()));
    forward.fileDue(file);
  }

  @Override
  public void deleted(DeletedName name) {
    put(FileRow.found(name.path(), FileRow.DELETED, 0));
    forward.deleted(name);
  }

  @Override
  public void problem(FileProblem problem) {
    put(
        FileRow.problem(
            problem.path(),
            problem.skipped(),
            problem.code().name(),
            Setting.asOptions(problem.message())));
    note(problem);
    forward.problem(problem);
  }

  private synchronized void note(FileProblem problem) {
    anyInUse |= problem.code() == ErrorCode.IN_USE;
    anyForLater |= !problem.skipped() && problem.code().retry() == ErrorCode.Retry.LATER;
  }
}
