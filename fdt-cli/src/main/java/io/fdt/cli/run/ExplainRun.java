package io.fdt.cli.run;

import io.fdt.cli.output.CommandJson;
import io.fdt.cli.output.JsonView;
import io.fdt.core.error.ErrorCode;
import java.util.List;

/**
 * Explains an exit status or a code.
 *
 * @param text for a person
 */
public record ExplainRun(String text, List<Meaning> codes, boolean json) implements Command {
  /** The meaning of a code: one sentence each. */
  public record Meaning(ErrorCode code, String happened, String remedy) {}

  @Override
  public int leastVerbosity() {
    return -1;
  }

  @Override
  public int run(CommandContext context) {
    if (json) {
      codes.forEach(
          code ->
              context
                  .screen()
                  .text(CommandJson.explained(code.code(), code.happened(), code.remedy())));
      JsonView.tellEnd(context.screen(), 0);
    } else {
      context.screen().text(text);
    }
    return 0;
  }
}
