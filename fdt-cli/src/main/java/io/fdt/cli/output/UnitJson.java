package io.fdt.cli.output;

import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import io.fdt.plan.WorkerListener;

/**
 * What a worker tells a program, as docs/json-commands.schema.json describes it. Any thread, one at
 * a time.
 */
public final class UnitJson implements WorkerListener {
  private final Screen screen;

  public UnitJson(Screen screen) {
    this.screen = screen;
  }

  @Override
  public void ended(String unit, int attempt, TransferReport report) {
    screen.text(
        new JsonEvent("unit")
            .with("unit", unit)
            .with("attempt", attempt)
            .with("files", report.filesDone())
            .with("bytes", report.bytes())
            .with("seconds", report.elapsed())
            .with("exit_status", report.exitStatus())
            .line());
    report
        .failure()
        .ifPresent(code -> screen.text(FileEvents.error(code, report.failureMessage())));
  }

  @Override
  public void unusable(String unit, int attempt, FdtException reason) {
    screen.text(FileEvents.error(reason.code(), "unit " + unit + ": " + reason.getMessage()));
  }

  @Override
  public void takenOver(String unit, String from) {
    screen.text(new JsonEvent("taken_over").with("unit", unit).with("from", from).line());
  }

  @Override
  public void waiting() {
    // Nothing has happened.
  }
}
