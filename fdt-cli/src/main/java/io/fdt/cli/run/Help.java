package io.fdt.cli.run;

import io.fdt.cli.output.json.JsonEvent;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Prints a text of the command itself, such as the help.
 *
 * @param spec the command line that it describes
 */
public record Help(String text, CommandSpec spec, boolean json) implements Command {
  private static final String JAR = "java -jar fdt.jar";

  /** The same in a man page, where a dash has an escape. */
  private static final String JAR_IN_ROFF = "java \\-jar fdt.jar";

  @Override
  public int leastVerbosity() {
    return -1;
  }

  @Override
  public int run(CommandContext context) {
    if (json) {
      new JsonEvent("text").with("text", named(text)).show(context.screen());
      JsonEvent.end(context.screen(), 0);
    } else {
      context.screen().text(named(text));
    }
    return 0;
  }

  /**
   * A text of the command with the name by which it was started: help and errors have {@code java
   * -jar fdt.jar}, the script dist/fdt sets another one.
   */
  public static String named(String text) {
    String name = System.getProperty("fdt.command");
    return name == null
        ? text
        : text.replace("       (fdt stands for: " + JAR + ")\n", "")
            .replace(JAR, name)
            .replace(JAR_IN_ROFF, name);
  }
}
