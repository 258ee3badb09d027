package io.fdt.cli.option.transfer;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.SshSettings;
import io.fdt.cli.process.Surroundings;
import io.fdt.core.spec.TransferOptions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;

/** The options about hosts that are reached by SSH. Pure. */
public final class SshOptions {
  private static final String COMMAND = "-e";
  private static final String TUNNEL = "--tunnel";
  private static final String VARIABLE = "FDT_SSH";

  /** The options of the original FDT. */
  private static final String SSH_PORT = "-sshp";

  private static final String SSH_KEY = "-sshKey";

  private SshOptions() {}

  public static void add(CommandSpec spec) {
    Options.value(
        spec,
        "COMMAND",
        "Run COMMAND instead of ssh, such as 'ssh -p 2222'; host:/path is then a host of SSH too."
            + " The variable FDT_SSH does the same.",
        COMMAND,
        "--rsh");
    Options.flag(
        spec,
        "With SSH: data goes through the SSH connection, not directly (default: only where no"
            + " port of the host can be reached).",
        TUNNEL);
  }

  /** Hides the options in the help of a command without SSH. */
  public static void hide(CommandSpec spec) {
    Options.hide(spec, List.of(COMMAND, TUNNEL));
  }

  /** Adds the options of the original FDT. */
  public static void addFdtFlags(CommandSpec spec) {
    Options.value(spec, "PORT", "Copies by SSH: port of the SSH servers.", SSH_PORT);
    Options.value(spec, "FILE", "Copies by SSH: private key.", SSH_KEY);
  }

  /** Whether a host without a user is one of SSH. */
  public static boolean isUsual(ParsedLine line, Surroundings surroundings) {
    return line.has(COMMAND) || variable(surroundings).isPresent();
  }

  public static SshSettings of(ParsedLine line, Surroundings surroundings) throws UsageException {
    Optional<String> command = line.value(COMMAND).or(() -> variable(surroundings));
    return new SshSettings(
        command.isPresent() ? SshSettings.words(command.get()) : List.of(),
        line.has(TUNNEL),
        line.has(Options.PORT) ? OptionalInt.of(OptionValue.port(line)) : OptionalInt.empty(),
        line.value(SSH_KEY),
        line.has(TransferOptions.CHECKSUM) || line.has(AccessOptions.ENCRYPT));
  }

  /** Hosts with the port that FDT's flag gives. */
  public static List<Location> withFdtPort(ParsedLine line, List<Location> locations)
      throws UsageException {
    if (!line.has(SSH_PORT)) {
      return locations;
    }
    OptionalInt port = OptionalInt.of(OptionValue.port(line, SSH_PORT));
    return locations.stream()
        .map(
            location ->
                location instanceof Location.Ssh ssh
                    ? new Location.Ssh(ssh.host().withPort(port), ssh.path())
                    : location)
        .toList();
  }

  /** Refuses options of SSH for a line without hosts of SSH. */
  public static void checkUnused(ParsedLine line) throws UsageException {
    line.refuse(
        List.of(COMMAND, TUNNEL, SSH_PORT, SSH_KEY),
        " is for hosts of SSH: user@host:/path or ssh://host/path");
  }

  private static Optional<String> variable(Surroundings surroundings) {
    return Optional.ofNullable(surroundings.environment().get(VARIABLE))
        .filter(command -> !command.isBlank());
  }
}
