package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.output.Figures;
import io.fdt.cli.output.Screen;
import io.fdt.client.Cleanup;
import io.fdt.core.error.FdtException;

/** Removes what interrupted transfers left. Confined to one thread. */
public final class CleanupRun implements Cleanup.Listener {
  private final boolean dryRun;
  private final Screen screen;
  private long files;
  private long bytes;
  private long inUse;
  private long problems;

  private CleanupRun(boolean dryRun, Screen screen) {
    this.dryRun = dryRun;
    this.screen = screen;
  }

  /** Cleans up; the result is an exit status. */
  public static int cleanUp(Operation.CleanUp command, Screen screen) throws FdtException {
    CleanupRun run = new CleanupRun(command.dryRun(), screen);
    Cleanup.run(command.directory(), command.dryRun(), run);
    screen.line(run.summary());
    return run.problems == 0 ? 0 : 1;
  }

  @Override
  public void leftover(Cleanup.Leftover file) {
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
    screen.problem(cause.getMessage());
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
