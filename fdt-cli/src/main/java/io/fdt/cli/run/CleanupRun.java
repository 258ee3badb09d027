package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.output.CommandJson;
import io.fdt.cli.output.Figures;
import io.fdt.cli.output.JsonView;
import io.fdt.cli.output.Screen;
import io.fdt.client.Cleanup;
import io.fdt.core.error.FdtException;

/** Removes what interrupted transfers left. Confined to one thread. */
public final class CleanupRun implements Cleanup.Listener {
  private final boolean dryRun;
  private final boolean json;
  private final Screen screen;
  private long files;
  private long bytes;
  private long inUse;
  private long problems;

  private CleanupRun(Operation.CleanUp command, Screen screen) {
    this.dryRun = command.dryRun();
    this.json = command.json();
    this.screen = screen;
  }

  /** Cleans up; the result is an exit status. */
  public static int cleanUp(Operation.CleanUp command, Screen screen) throws FdtException {
    CleanupRun run = new CleanupRun(command, screen);
    Cleanup.run(command.directory(), command.dryRun(), run);
    int status = run.problems == 0 ? 0 : 1;
    if (run.json) {
      JsonView.tellEnd(screen, status);
    } else {
      screen.line(run.summary());
    }
    return status;
  }

  @Override
  public void leftover(Cleanup.Leftover file) {
    if (json) {
      screen.text(CommandJson.leftover(file, dryRun));
      return;
    }
    String what = file.path() + " (" + Figures.bytes(file.bytes()) + ", " + origin(file) + ")";
    if (file.inUse()) {
      inUse++;
      screen.line("in use: " + what);
      return;
    }
    files++;
    bytes += file.bytes();
    screen.line((dryRun ? "would remove: " : "removed: ") + what);
  }

  private static String origin(Cleanup.Leftover file) {
    return file.finalPath().isEmpty() ? "of an unknown file" : "of " + file.finalPath();
  }

  @Override
  public void problem(String path, FdtException cause) {
    problems++;
    if (json) {
      screen.text(CommandJson.problem(path, cause));
    } else {
      screen.problem(cause.getMessage());
    }
  }

  private String summary() {
    return Figures.count(files, "file")
        + ", "
        + Figures.bytes(bytes)
        + (dryRun ? " to remove" : " removed")
        + (inUse == 0 ? "" : "; " + Figures.count(inUse) + " in use")
        + (problems == 0 ? "" : "; " + Figures.count(problems, "problem"));
  }
}
