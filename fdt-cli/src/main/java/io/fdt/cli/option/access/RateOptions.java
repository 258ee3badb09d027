package io.fdt.cli.option.access;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.unit.RateSchedule;
import io.fdt.server.ServerLimits;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code serve} about the rates of clients. Pure. */
public final class RateOptions {
  private static final String TOTAL = "--limit";
  private static final String PER_CLIENT = "--limit-per-client";

  /** All options about rates. */
  static final List<String> ALL = List.of(TOTAL, PER_CLIENT);

  private RateOptions() {}

  public static void add(CommandSpec spec) {
    Options.value(
        spec,
        "RATE",
        "Upper bound of the rate of all transfers together, shared fairly: 1Gbit/s, or a"
            + " schedule in local time:\n09:00-18:00=100M,else=off.",
        TOTAL);
    Options.value(
        spec,
        "RATE",
        "Upper bound of the rate of each client: a token, or an address without one.",
        PER_CLIENT);
  }

  /** These limits, with the rates that a line gives. */
  public static ServerLimits of(ParsedLine line, ServerLimits limits) throws UsageException {
    Optional<RateSchedule> total = OptionValue.rates(line, TOTAL);
    Optional<RateSchedule> perClient = OptionValue.rates(line, PER_CLIENT);
    ServerLimits all = total.isEmpty() ? limits : limits.withRate(total.get());
    return perClient.isEmpty() ? all : all.withClientRate(perClient.get());
  }
}
