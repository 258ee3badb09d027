package io.fdt.cli.run;

import io.fdt.cli.option.FdtHome;
import io.fdt.cli.option.Surroundings;
import io.fdt.cli.output.Screen;
import io.fdt.client.TransferReport;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * All that one run of the command has from outside; there is no other way in or out. Immutable.
 *
 * @param surroundings what its arguments may refer to
 * @param screen where it writes, and asks
 * @param ending how it is told to end
 * @param reports gets the report of each copy that has ended
 */
public record CommandContext(
    Surroundings surroundings, Screen screen, Ending ending, Consumer<TransferReport> reports) {
  /** One whose reports nobody reads but people. */
  public CommandContext(Surroundings surroundings, Screen screen, Ending ending) {
    this(surroundings, screen, ending, report -> {});
  }

  /** The same with another screen. */
  CommandContext with(Screen other) {
    return new CommandContext(surroundings, other, ending, reports);
  }

  /** The same with another reader of reports. */
  CommandContext with(Consumer<TransferReport> reader) {
    return new CommandContext(surroundings, screen, ending, reader);
  }

  /** Where identity, tokens and known hosts of the user are. */
  public Path home() {
    return FdtHome.of(surroundings.environment(), surroundings.userHome());
  }

  /** The variables of the environment, by name. */
  public Map<String, String> environment() {
    return surroundings.environment();
  }

  /** Runs an action when the command is told to end, until the result is closed. */
  Interruption onInterruption(Runnable action) {
    return Interruption.arm(action, ending);
  }
}
