package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.output.CommandJson;
import io.fdt.cli.output.JsonView;
import io.fdt.cli.output.Screen;

/** Says what an exit status or a code means. */
public final class ExplainRun {
  private ExplainRun() {}

  /**
   * Shows it; the result is an exit status.
   *
   * @param text for a person
   */
  public static int run(Operation.Explain explain, String text, Screen screen) {
    if (!explain.json()) {
      screen.text(text);
      return 0;
    }
    explain.codes().forEach(code -> screen.text(CommandJson.explained(code)));
    JsonView.tellEnd(screen, 0);
    return 0;
  }
}
