package io.fdt.cli.run;

import io.fdt.cli.output.Screen;
import io.fdt.cli.process.Surroundings;
import io.fdt.client.ClientHome;
import io.fdt.client.TransferReport;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * All input and output of one run of the command. Immutable.
 *
 * @param surroundings files and environment that its arguments may refer to
 * @param screen for output and questions
 * @param ending signals, and the exit of the process
 * @param reports takes the report of each copy that has ended
 * @param verbosity 0 to 3: warnings, events, details, everything
 */
public record CommandContext(
    Surroundings surroundings,
    Screen screen,
    ExitHooks ending,
    Consumer<TransferReport> reports,
    int verbosity) {
  /** A context whose reports are dropped. */
  public CommandContext(Surroundings surroundings, Screen screen, ExitHooks ending) {
    this(surroundings, screen, ending, report -> {}, 0);
  }

  /** The same with another screen. */
  public CommandContext with(Screen other) {
    return new CommandContext(surroundings, other, ending, reports, verbosity);
  }

  /** The same with another reader of reports. */
  public CommandContext with(Consumer<TransferReport> reader) {
    return new CommandContext(surroundings, screen, ending, reader, verbosity);
  }

  /** The same with another verbosity. */
  public CommandContext with(int other) {
    return new CommandContext(surroundings, screen, ending, reports, other);
  }

  /** Whether each copied file is named. */
  public boolean listsFiles() {
    return verbosity > 0;
  }

  /** The directory of identity, tokens and known hosts of the user. */
  public Path home() {
    return ClientHome.of(surroundings.environment(), surroundings.userHome());
  }

  /** The environment variables by name. */
  public Map<String, String> environment() {
    return surroundings.environment();
  }

  /** Runs an action when a signal ends the command, until the result is closed. */
  public Interruption onInterruption(Runnable action) {
    return Interruption.arm(action, ending);
  }
}
