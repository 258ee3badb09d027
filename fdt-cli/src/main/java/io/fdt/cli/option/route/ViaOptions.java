package io.fdt.cli.option.route;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.server.FdtServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The route of a client through relays. Pure.
 *
 * @param relays in the order of the route; empty for none
 * @param tokenFile the file of the token for all relays; empty for the variable
 * @param isOpen whether the fastest route is measured
 * @param choice the relays to measure; empty for those that the server offers
 * @param handOver how long the relay tries to deliver; empty for a copy that passes through
 */
public record ViaOptions(
    List<Relay> relays,
    Optional<Path> tokenFile,
    boolean isOpen,
    List<Relay> choice,
    Optional<Duration> handOver) {
  /** The variable with the token, in place of a file. */
  public static final String VARIABLE = "FDT_RELAY_TOKEN";

  public static final String VIA = "--via";
  public static final String TOKEN_FILE = "--via-token-file";
  public static final String RELAYS = "--relays";

  public static final ViaOptions NONE =
      new ViaOptions(List.of(), Optional.empty(), false, List.of(), Optional.empty());

  public static final String HAND_OVER = "--hand-over";
  private static final String WITHIN = "--deliver-within";

  /** The options of copies that a relay delivers later. */
  public static final List<String> OF_HAND_OVER = List.of(HAND_OVER, WITHIN);

  private static final Duration DELIVERY = Duration.ofDays(7);

  private static final String SCHEME = "fdt://";

  /**
   * A relay.
   *
   * @param fingerprint its key; empty for a known one
   */
  public record Relay(ServerAddress address, Optional<String> fingerprint) {
    /** The same without its fingerprint: the user must know the key. */
    public Relay withoutFingerprint() {
      return new Relay(address, Optional.empty());
    }

    /** The text that {@link #offered} reads. */
    public String text() {
      return address + fingerprint.map(key -> "?fingerprint=" + key).orElse("");
    }
  }

  /**
   * A relay that a server offers.
   *
   * @throws UsageException the server's text is not a relay
   */
  public static Relay offered(String text) throws UsageException {
    return relay("the server's " + RELAYS, text);
  }

  public static void add(CommandSpec spec) {
    Options.value(
        spec,
        "HOST[:PORT],...",
        "Reach the server through these relays: servers that were started with --relay. With auto,"
            + " copy measures the direct way and that through each of --relays, or of those that"
            + " the server offers, for 2 s each, and takes the fastest.",
        VIA);
    Options.value(
        spec,
        "HOST[:PORT],...",
        "With --via auto: relays to try, in place of those that the server offers.",
        RELAYS);
    Options.value(
        spec,
        "FILE",
        "With --via: present the token in FILE to the relays; the variable "
            + VARIABLE
            + " does the same. No relay is shown the token of the server.",
        TOKEN_FILE);
  }

  /** Adds the options of copies that a relay delivers later. */
  public static void addHandOver(CommandSpec spec) {
    Options.flag(
        spec,
        "Copy to the relay of --via, which must have a spool, and end: the relay delivers it, also"
            + " when the server is away now.",
        HAND_OVER);
    Options.value(spec, "TIME", "With --hand-over: how long the relay tries (default 7d).", WITHIN);
  }

  /** How long the relay tries to deliver; empty without --hand-over. */
  private static Optional<Duration> handOver(ParsedLine line, List<Relay> relays)
      throws UsageException {
    Optional<String> within = line.value(WITHIN);
    if (!line.has(HAND_OVER)) {
      if (within.isPresent()) {
        throw new UsageException(WITHIN + " needs " + HAND_OVER);
      }
      return Optional.empty();
    }
    if (relays.size() != 1) {
      throw new UsageException(HAND_OVER + " needs one relay: " + VIA + " HOST[:PORT]");
    }
    return Optional.of(within.isPresent() ? OptionValue.duration(WITHIN, within.get()) : DELIVERY);
  }

  public static ViaOptions of(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(VIA);
    if (text.isEmpty()) {
      if (line.has(TOKEN_FILE)) {
        throw new UsageException(TOKEN_FILE + " needs " + VIA);
      }
      handOver(line, List.of());
      return NONE;
    }
    Optional<Path> tokenFile = OptionValue.file(line, TOKEN_FILE);
    if (!text.get().equals(OptionValue.AUTO)) {
      List<Relay> relays = relays(VIA, text.get());
      return new ViaOptions(relays, tokenFile, false, List.of(), handOver(line, relays));
    }
    List<Relay> choice =
        line.has(RELAYS) ? relays(RELAYS, line.value(RELAYS).orElseThrow()) : List.of();
    return new ViaOptions(List.of(), tokenFile, true, choice, handOver(line, List.of()));
  }

  public static List<Relay> relays(String option, String text) throws UsageException {
    List<Relay> relays = new ArrayList<>();
    for (String one : text.split(",", -1)) {
      relays.add(relay(option, one.strip()));
    }
    return List.copyOf(relays);
  }

  /** The route through one relay, or none. */
  public ViaOptions through(Optional<Relay> relay) {
    return new ViaOptions(relay.stream().toList(), tokenFile, false, List.of(), Optional.empty());
  }

  private static Relay relay(String option, String text) throws UsageException {
    String whole = text.startsWith(SCHEME) ? text : SCHEME + text;
    if (!text.isEmpty()
        && Location.parse(whole, FdtServer.DEFAULT_PORT) instanceof Location.Remote remote
        && remote.path().names().isEmpty()) {
      return new Relay(remote.server(), remote.fingerprint());
    }
    throw new UsageException(
        option + ": '" + text + "' is not a server; write HOST, HOST:PORT or several with commas");
  }
}
