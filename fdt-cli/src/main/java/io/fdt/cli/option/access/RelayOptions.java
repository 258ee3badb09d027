package io.fdt.cli.option.access;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.core.unit.ByteSize;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The options of a server that is a relay. Pure.
 *
 * @param to the addresses to which it relays; empty for the default
 * @param spool for files that it delivers later
 */
public record RelayOptions(List<String> to, Optional<SpoolPlace> spool) {
  /** A directory, and the limit of its size. */
  public record SpoolPlace(Path directory, ByteSize size) {}

  private static final String RELAY = "--relay";
  private static final String TO = "--relay-to";
  private static final String SPOOL = "--spool";

  private static final String OFFER = "--offer-relays";

  static final List<String> ALL = List.of(RELAY, TO, SPOOL, OFFER);

  static void add(CommandSpec spec) {
    Options.flag(
        spec,
        "Be a relay: pass connections of clients with a token on to other servers (copy --via).",
        RELAY);
    Options.values(
        spec,
        "RANGE",
        "With --relay: pass connections on to this address or range only; may be repeated"
            + " (default: all except loopback, link-local and multicast addresses).",
        TO);
    Options.value(
        spec,
        "DIR:SIZE",
        "With --relay: keep files that clients leave here for other servers (copy --hand-over) in"
            + " DIR, at most SIZE together, and deliver them; hold there what a slower part of the"
            + " way does not take yet.",
        SPOOL);
    Options.value(
        spec,
        "HOST[:PORT],...",
        "Offer these relays to clients: copy --via auto tries them on the way to this server. Write"
            + " HOST:PORT?fingerprint=SHA256:... and clients need not know the relay's key.",
        OFFER);
  }

  /** The relays that the server offers to clients. */
  static List<String> offered(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(OFFER);
    if (text.isEmpty()) {
      return List.of();
    }
    List<ViaOptions.Relay> relays = ViaOptions.relays(OFFER, text.get());
    if (relays.size() > 16) {
      throw new UsageException(OFFER + ": at most 16 relays can be offered");
    }
    return relays.stream().map(ViaOptions.Relay::text).toList();
  }

  /** The options of a line; empty if the server is not a relay. */
  static Optional<RelayOptions> of(ParsedLine line) throws UsageException {
    if (line.has(RELAY)) {
      return Optional.of(new RelayOptions(line.values(TO), spool(line)));
    }
    line.refuse(List.of(TO, SPOOL), " needs " + RELAY);
    return Optional.empty();
  }

  private static Optional<SpoolPlace> spool(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(SPOOL);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    int colon = text.get().lastIndexOf(':');
    if (colon < 1) {
      throw new UsageException(
          SPOOL + " '" + text.get() + "': write DIR:SIZE, for example /var/spool/fdt:100G");
    }
    return Optional.of(
        new SpoolPlace(
            OptionValue.file(SPOOL, text.get().substring(0, colon)),
            OptionValue.size(
                SPOOL, text.get().substring(colon + 1), 1 << 20, 1L << 60, "1MiB and 1EiB")));
  }
}
