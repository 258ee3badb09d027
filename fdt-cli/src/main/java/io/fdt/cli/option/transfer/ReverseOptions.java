package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.LocalAddress;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;

/** The options of copies in which the server connects to this machine. Pure. */
public final class ReverseOptions {
  public static final String REVERSE = "--reverse";
  private static final String ADDRESS = "--reverse-address";

  /** The options of a copy for which the server connects. */
  public static final List<String> ALL = List.of(REVERSE, ADDRESS);

  /** A placeholder for this machine's server before it runs. */
  public static final ServerAddress HERE = new ServerAddress("localhost", 65535);

  private static final int ANY_PORT = 0;

  private ReverseOptions() {}

  public static void add(CommandSpec spec) {
    Options.flag(
        spec,
        "The server connects to this machine for the data (default: this machine connects to the"
            + " server).",
        REVERSE);
    Options.value(
        spec,
        "HOST[:PORT]",
        "With --reverse: where the server reaches this machine (default: the address from which"
            + " this machine reaches the server, and any free port).",
        ADDRESS);
  }

  /** The address at which the server reaches this machine; empty if this machine connects. */
  public static Optional<LocalAddress> of(ParsedLine line) throws UsageException {
    Optional<String> address = line.value(ADDRESS);
    if (!line.has(REVERSE)) {
      if (address.isPresent()) {
        throw new UsageException(ADDRESS + " needs " + REVERSE);
      }
      return Optional.empty();
    }
    if (address.isEmpty()) {
      return Optional.of(LocalAddress.ANY);
    }
    ServerAddress given = ServerAddress.parse(address.get(), ANY_PORT);
    return Optional.of(
        new LocalAddress(
            Optional.of(given.host()),
            given.port() == ANY_PORT ? OptionalInt.empty() : OptionalInt.of(given.port())));
  }

  /**
   * Makes sure that one side is on this machine and the other one is not.
   *
   * @param locations the last one is the destination
   */
  public static void check(ParsedLine line, List<Location> locations) throws UsageException {
    int last = locations.size() - 1;
    boolean toHere = locations.get(last) instanceof Location.Local;
    boolean fromHere = locations.get(0) instanceof Location.Local;
    if (toHere == fromHere) {
      throw new UsageException(
          REVERSE
              + (toHere
                  ? ": neither side is on a server; write one of them as host:/path"
                  : " is for copies from or to this machine; servers find out themselves which of"
                      + " them connects"));
    }
    if (line.operands().contains(PartOptions.STANDARD)) {
      throw new UsageException(REVERSE + " copies files, not standard input or output");
    }
    if (locations.stream().anyMatch(Location::isInOtherStorage)) {
      throw new UsageException(
          REVERSE + " copies from and to directories of this machine, not SCHEME://PATH");
    }
  }
}
