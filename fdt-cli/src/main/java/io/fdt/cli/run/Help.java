package io.fdt.cli.run;

import io.fdt.cli.output.json.JsonEvent;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Prints a text of the command itself, such as the help.
 *
 * @param spec the command line that it describes
 */
public record Help(String text, CommandSpec spec, boolean json) implements Command {
  private static final String JAR = "java -jar fdt.jar";

  /** The command in a man page, where a dash is escaped. */
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
    } else if (text.startsWith("Usage: ")) {
      context.screen().help(named(text));
    } else {
      context.screen().text(named(text));
    }
    return 0;
  }

  /**
   * Replaces {@code java -jar fdt.jar} in help and errors by the name under which the command was
   * started; the script dist/fdt sets it.
   */
  public static String named(String text) {
    return command()
        .map(
            name ->
                text.replace("       (fdt stands for: " + JAR + ")\n", "")
                    .replace(JAR, name)
                    .replace(JAR_IN_ROFF, name))
        .orElse(text);
  }

  /** The name of an installed command; empty when it was started as a jar. */
  public static Optional<String> command() {
    return Optional.ofNullable(System.getProperty("fdt.command"));
  }
}
