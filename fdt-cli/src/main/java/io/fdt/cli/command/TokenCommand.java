package io.fdt.cli.command;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.serve.TokenRun;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;

/** The command line of {@code token create|list|revoke}. Reads the clock. */
final class TokenCommand {
  private static final String EXPIRES = "--expires";
  private static final String EXPORT = "--export";
  private static final String READ_ONLY = "--read-only";
  private static final String DATA_NODE = "--data-node";
  private static final String ADDRESS = "--address";
  private static final String NO_RELAY = "--no-relay";
  private static final String RELAY_TO = "--relay-to";
  private static final String RELAY_LIMIT = "--relay-limit";
  private static final String SPOOL = "--spool";
  private static final String USAGE = "write: token create NAME, token list, or token revoke NAME";

  private TokenCommand() {}

  static Invocation parse(List<String> arguments, Surroundings surroundings) throws UsageException {
    return Invocation.of(spec(), arguments, line -> command(line, surroundings));
  }

  private static Command command(ParsedLine line, Surroundings surroundings) throws UsageException {
    List<String> words = line.operands();
    String action = words.isEmpty() ? "" : words.get(0);
    boolean named = words.size() == 2;
    if (!action.equals("create")) {
      line.refuse(
          List.of(
              EXPIRES,
              EXPORT,
              READ_ONLY,
              ADDRESS,
              Options.NO_THIRD_PARTY,
              DATA_NODE,
              NO_RELAY,
              RELAY_TO,
              RELAY_LIMIT,
              SPOOL),
          " is for token create");
    }
    if (action.equals("create") && named) {
      return new TokenRun.Create(
          token(line, words.get(1), surroundings.clock()), line.has(OutputOptions.JSON));
    }
    if (action.equals("revoke") && named) {
      return new TokenRun.Revoke(words.get(1), line.has(OutputOptions.JSON));
    }
    if (action.equals("list") && words.size() == 1) {
      return new TokenRun.Listing(line.has(OutputOptions.JSON));
    }
    throw new UsageException(USAGE);
  }

  private static Grant token(ParsedLine line, String name, Clock clock) throws UsageException {
    Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    Optional<String> expires = line.value(EXPIRES);
    Set<FileName> exports = new HashSet<>();
    for (String export : line.values(EXPORT)) {
      try {
        exports.add(FileName.of(ByteText.encode(export)));
      } catch (IllegalArgumentException e) {
        throw new UsageException(EXPORT + " " + export + ": " + e.getMessage());
      }
    }
    return new Grant(
        name,
        now,
        expires.isEmpty() ? Optional.empty() : Optional.of(expiry(expires.get(), now)),
        line.has(READ_ONLY),
        exports,
        line.values(ADDRESS),
        !line.has(Options.NO_THIRD_PARTY),
        line.has(DATA_NODE),
        relaying(line));
  }

  /**
   * Whether the token allows relays: a token for transfers between servers does, unless an option
   * refuses it.
   */
  private static RelayGrant relaying(ParsedLine line) throws UsageException {
    boolean isWanted = line.has(RELAY_TO) || line.has(RELAY_LIMIT) || line.has(SPOOL);
    if (isWanted && line.has(NO_RELAY)) {
      throw new UsageException(
          "%s cannot be combined with %s, %s and %s: leave one of them out"
              .formatted(NO_RELAY, RELAY_TO, RELAY_LIMIT, SPOOL));
    }
    boolean isAllowed = isWanted || !(line.has(NO_RELAY) || line.has(Options.NO_THIRD_PARTY));
    Optional<String> limit = line.value(RELAY_LIMIT);
    Optional<String> spool = line.value(SPOOL);
    return new RelayGrant(
        isAllowed,
        line.values(RELAY_TO),
        limit.isEmpty() ? 0 : OptionValue.rate(RELAY_LIMIT, limit.get()),
        spool.isEmpty()
            ? 0
            : OptionValue.size(SPOOL, spool.get(), 1, Long.MAX_VALUE, "1 B and 8 EiB").bytes());
  }

  /** Reads an expiry: 90m, 12h, 7d, or a date (2027-01-31), whose end counts. */
  static Instant expiry(String text, Instant now) throws UsageException {
    try {
      Instant end =
          text.matches("[0-9]+[smhdw]")
              ? now.plus(OptionValue.duration(EXPIRES, text))
              : LocalDate.parse(text).plusDays(1).atStartOfDay(ZoneId.systemDefault()).toInstant();
      if (!end.isAfter(now)) {
        throw new UsageException(
            EXPIRES + " " + text + " is in the past; write for example 7d or a later date");
      }
      return end;
    } catch (DateTimeException e) {
      throw new UsageException(
          EXPIRES + " " + text + ": write for example 90m, 12h, 7d or 2027-01-31");
    }
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt token", "Creates, lists and revokes the tokens of a server.%n");
    Options.value(
        spec,
        "WHEN",
        "When the token expires: after 90m, 12h or 7d, or at the end of 2027-01-31.",
        EXPIRES);
    Options.values(spec, "NAME", "Allow this export only; may be repeated.", EXPORT);
    Options.flag(spec, "Allow reading only, also in writable exports.", READ_ONLY);
    Options.values(spec, "RANGE", "Allow this address or range only; may be repeated.", ADDRESS);
    Options.flag(spec, "Refuse transfers between servers.", Options.NO_THIRD_PARTY);
    Options.flag(
        spec,
        "Let another server join this one as a data node (serve --join): it then carries the data"
            + " of all clients.",
        DATA_NODE);
    Options.flag(spec, "Refuse to relay, and to keep files for other servers.", NO_RELAY);
    Options.values(
        spec,
        "RANGE",
        "Relay to this address or range only; may be repeated. Also with --no-third-party.",
        RELAY_TO);
    Options.value(
        spec, "RATE", "Relay no faster: all connections together, and each delivery.", RELAY_LIMIT);
    Options.value(spec, "SIZE", "Keep at most this much in the relay's spool.", SPOOL);
    OutputOptions.json(spec);
    Options.general(spec);
    Options.operands(
        spec,
        List.of("create", "list", "revoke"),
        "create NAME | list | revoke NAME",
        "What to do.");
    spec.usageMessage()
        .customSynopsis(
            "fdt token create NAME [--expires WHEN] [--export NAME]... [--read-only]",
            "                        [--address RANGE]... [--no-third-party]",
            "                        [--data-node] [--no-relay | [--relay-to RANGE]...",
            "                        [--relay-limit RATE] [--spool SIZE]]",
            "       fdt token list",
            "       fdt token revoke NAME")
        .footer(
            "",
            "create prints the token once; only its hash is stored. A running server accepts",
            "it immediately. revoke ends the token's running transfers within a second.",
            "",
            "Example:",
            "  java -jar fdt.jar token create alice --export run42 --read-only --expires 30d");
    return spec;
  }
}
