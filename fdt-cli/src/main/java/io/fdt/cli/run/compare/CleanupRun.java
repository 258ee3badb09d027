package io.fdt.cli.run.compare;

import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.client.Cleanup;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.unit.NumberText;

/** Removes the temporary files of interrupted transfers. */
public record CleanupRun(BytePath directory, boolean dryRun, boolean json) implements Command {
  @Override
  public int run(CommandContext context) throws FdtException {
    Screen screen = context.screen();
    Listener listener = new Listener(dryRun, json, screen);
    Cleanup.run(directory, dryRun, listener);
    int status = listener.problems == 0 ? 0 : 1;
    if (json) {
      JsonEvent.end(screen, status);
    } else {
      screen.line(listener.summary());
    }
    return status;
  }

  /** Shows each file, and counts. Confined to one thread. */
  private static final class Listener implements Cleanup.Listener {
    private final boolean dryRun;
    private final boolean json;
    private final Screen screen;
    private long files;
    private long bytes;
    private long inUse;
    private long problems;

    Listener(boolean dryRun, boolean json, Screen screen) {
      this.dryRun = dryRun;
      this.json = json;
      this.screen = screen;
    }

    @Override
    public void leftover(Cleanup.Leftover file) {
      if (json) {
        JsonEvent event =
            new JsonEvent("leftover")
                .withPath(file.path())
                .with("bytes", file.bytes())
                .with("in_use", file.inUse())
                .with("put_back", file.putBack())
                .with("pretended", dryRun);
        if (!file.finalPath().isEmpty()) {
          event.withPath("of", file.finalPath());
        }
        event.show(screen);
        return;
      }
      String what = file.path() + " (" + NumberText.bytes(file.bytes()) + ", " + origin(file) + ")";
      if (file.inUse()) {
        inUse++;
        screen.line("in use: " + what);
        return;
      }
      if (file.putBack()) {
        screen.line(
            (dryRun ? "would put back: " : "put back: ")
                + file.finalPath()
                + " from "
                + file.path());
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
        new JsonEvent("problem")
            .withPath(path)
            .withError(cause.code(), cause.getMessage())
            .show(screen);
      } else {
        screen.problem(cause.getMessage());
      }
    }

    private String summary() {
      return NumberText.count(files, "file")
          + ", "
          + NumberText.bytes(bytes)
          + (dryRun ? " to remove" : " removed")
          + (inUse == 0 ? "" : "; " + NumberText.count(inUse) + " in use")
          + (problems == 0 ? "" : "; " + NumberText.count(problems, "problem"));
    }
  }
}
