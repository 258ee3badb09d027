package io.fdt.cli.run;

import io.fdt.cli.output.json.JsonEvent;
import io.fdt.core.error.ErrorCode;
import java.util.List;

/**
 * Explains an exit status or a code.
 *
 * @param text for display
 */
public record ExplainRun(String text, List<Meaning> codes, boolean json) implements Command {
  /** The meaning of a code, and its remedy, a sentence each. */
  public record Meaning(ErrorCode code, String happened, String remedy) {}

  @Override
  public int leastVerbosity() {
    return -1;
  }

  @Override
  public int run(CommandContext context) {
    if (json) {
      for (Meaning one : codes) {
        new JsonEvent("explanation")
            .with("code", one.code().name())
            .with("exit_status", one.code().exitStatus())
            .with("retry", one.code().retry() == ErrorCode.Retry.LATER)
            .with("happened", one.happened())
            .with("remedy", one.remedy())
            .show(context.screen());
      }
      JsonEvent.end(context.screen(), 0);
    } else {
      context.screen().text(text);
    }
    return 0;
  }
}
