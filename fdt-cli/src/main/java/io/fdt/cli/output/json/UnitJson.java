package io.fdt.cli.output.json;

import io.fdt.cli.output.Screen;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import io.fdt.plan.work.WorkerListener;

/** The events of a worker: docs/json-commands.schema.json. Any thread, one at a time. */
public final class UnitJson implements WorkerListener {
  private final Screen screen;

  public UnitJson(Screen screen) {
    this.screen = screen;
  }

  @Override
  public void ended(String unit, int attempt, TransferReport report) {
    new JsonEvent("unit")
        .with("unit", unit)
        .with("attempt", attempt)
        .with("files", report.figures().files().done())
        .with("bytes", report.figures().bytesDone())
        .with("seconds", report.elapsed())
        .with("exit_status", report.exitStatus())
        .show(screen);
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
    new JsonEvent("taken_over").with("unit", unit).with("from", from).show(screen);
  }

  @Override
  public void waiting() {
    // Nothing to report.
  }
}
