package io.fdt.cli.option;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options of copies that are left with a relay. Pure. */
public final class HandOverOptions {
  public static final String HAND_OVER = "--hand-over";
  private static final String WITHIN = "--deliver-within";
  private static final Duration DEFAULT = Duration.ofDays(7);

  private HandOverOptions() {}

  public static void add(CommandSpec spec) {
    Options.flag(
        spec,
        "Copy to the relay of --via, which must have a spool, and end: the relay delivers it, also"
            + " when the server is away now.",
        HAND_OVER);
    Options.value(spec, "TIME", "With --hand-over: how long the relay tries (default 7d).", WITHIN);
  }

  /** How long the relay tries; empty for a copy that is not left with one. */
  static Optional<Duration> of(ParsedLine line, List<ViaOptions.Relay> relays)
      throws UsageException {
    Optional<String> within = line.value(WITHIN);
    if (!line.has(HAND_OVER)) {
      if (within.isPresent()) {
        throw new UsageException(WITHIN + " goes with " + HAND_OVER);
      }
      return Optional.empty();
    }
    if (relays.size() != 1) {
      throw new UsageException(HAND_OVER + " needs one relay: " + ViaOptions.VIA + " HOST[:PORT]");
    }
    return Optional.of(within.isPresent() ? OptionValue.duration(WITHIN, within.get()) : DEFAULT);
  }

  /**
   * Makes sure that a copy can be left with a relay.
   *
   * @param locations the last one is the destination
   */
  public static void check(ParsedLine line, List<Location> locations) throws UsageException {
    if (!line.has(HAND_OVER)) {
      return;
    }
    boolean isPush =
        locations.get(0) instanceof Location.Local
            && locations.get(locations.size() - 1) instanceof Location.Remote;
    if (!isPush || line.operands().contains(PartOptions.STANDARD)) {
      throw new UsageException(HAND_OVER + " is for files of this machine that go to a server");
    }
    List<String> refused = new ArrayList<>(FilterOptions.ALL);
    refused.addAll(
        CopySumsOptions.withWhole(List.of(OutputOptions.DRY_RUN, ReverseOptions.REVERSE)));
    for (String option : refused) {
      if (line.has(option)) {
        throw new UsageException(option + " does not go with " + HAND_OVER);
      }
    }
  }
}
