package io.fdt.cli.option.access;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.core.unit.RateSchedule;
import io.fdt.server.FdtServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The options that make a server a data node of another one. Pure.
 *
 * @param frontEnd the server to join
 * @param fingerprint the key that it must have
 * @param tokenFile the file of the token of a data node; empty for the variable
 * @param advertised where clients reach this data node; empty for the address that the front end
 *     sees
 */
public record JoinOptions(
    ServerAddress frontEnd, String fingerprint, Optional<Path> tokenFile, String advertised) {
  /** The environment variable with the token, in place of a file. */
  public static final String VARIABLE = "FDT_JOIN_TOKEN";

  private static final String JOIN = "--join";
  private static final String TOKEN_FILE = "--join-token-file";
  private static final String ADVERTISE = "--advertise";

  /** Options of servers only. */
  static final List<String> ALL = List.of(JOIN, TOKEN_FILE, ADVERTISE);

  /** Adds the options to a command. */
  public static void add(CommandSpec spec) {
    Options.value(
        spec,
        "SERVER",
        "Be a data node of the server fdt://HOST[:PORT]?fingerprint=SHA256:..., which sees the same"
            + " files under the same names of exports: carry, read and write data of its"
            + " transfers.",
        JOIN);
    Options.value(
        spec,
        "FILE",
        "With --join: present the token in FILE, made there with 'token create NAME --data-node';"
            + " the variable "
            + VARIABLE
            + " does the same.",
        TOKEN_FILE);
    Options.value(
        spec,
        "ADDRESS",
        "With --join: the address at which clients reach this data node (default: the one that the"
            + " front end sees).",
        ADVERTISE);
  }

  /** The options of a line; empty without --join. */
  public static Optional<JoinOptions> of(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(JOIN);
    if (text.isEmpty()) {
      line.refuse(List.of(TOKEN_FILE, ADVERTISE), " needs " + JOIN);
      return Optional.empty();
    }
    for (String option : RateOptions.ALL) {
      Optional<RateSchedule> rates = OptionValue.rates(line, option);
      if (rates.isPresent() && !rates.get().isNone()) {
        throw new UsageException(
            option + " cannot be combined with " + JOIN + ": give it to the front end");
      }
    }
    Location location = Location.parse(text.get(), FdtServer.DEFAULT_PORT);
    if (!(location instanceof Location.Remote remote) || remote.fingerprint().isEmpty()) {
      throw new UsageException(
          ("%s: '%s' must say who the front end is: fdt://HOST:PORT?fingerprint=SHA256:..., "
                  + "as it prints when it starts")
              .formatted(JOIN, text.get()));
    }
    return Optional.of(
        new JoinOptions(
            remote.server(),
            remote.fingerprint().get(),
            line.value(TOKEN_FILE).map(Path::of),
            line.value(ADVERTISE).orElse("")));
  }
}
