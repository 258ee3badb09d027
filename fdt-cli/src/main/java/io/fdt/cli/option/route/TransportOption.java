package io.fdt.cli.option.route;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.client.DataTransport;
import io.fdt.core.spec.TransferOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The transport of data on each part of the route: to the first relay, from relay to relay, to the
 * server. Pure.
 *
 * @param parts in this order; a single one applies to all parts
 */
public record TransportOption(List<DataTransport> parts) {
  public static final String NAME = "--transport";

  private static final String TCP = "tcp";
  private static final List<String> WORDS = List.of(TCP, "udt", OptionValue.AUTO);

  /** TCP on all parts. */
  public static final TransportOption TCP_ONLY = new TransportOption(List.of(DataTransport.TCP));

  public TransportOption {
    parts = List.copyOf(parts);
  }

  /** Adds the option to a command. */
  public static void add(CommandSpec spec) {
    Options.choice(
        spec,
        WORDS,
        "tcp|udt|auto",
        "Move data over TCP, over UDP with the protocol UDT, or over UDP only where that carries"
            + " more (auto, the default without --via and --congestion NAME); control uses TCP."
            + " With --via, one word for each part of the way may be given: udt,tcp.",
        NAME);
  }

  /**
   * The option of a line.
   *
   * @param via the relays to the server
   */
  public static TransportOption of(ParsedLine line, ViaOptions via) throws UsageException {
    String text = line.value(NAME).orElseGet(() -> usual(line, via));
    TransportOption option = parse(text);
    int given = option.parts.size();
    int wanted = via.relays().size() + 1;
    if (given > 1 && given != wanted) {
      throw new UsageException(
          "%s %s has %d words, and the way has %s; give one word for each part, or one for all"
              .formatted(NAME, text, given, wanted == 1 ? "one part" : wanted + " parts"));
    }
    if (given > 1 && option.parts.contains(DataTransport.AUTO)) {
      throw new UsageException(
          NAME + " " + text + ": auto stands alone; give tcp or udt for each part of the way");
    }
    return option;
  }

  /** Through relays, and with a congestion control of TCP, only TCP can be meant. */
  private static String usual(ParsedLine line, ViaOptions via) {
    boolean isDirect = via.relays().isEmpty() && !via.isOpen();
    boolean namesControl =
        line.value(TransferOptions.CONGESTION.name())
            .filter(name -> !name.equals(OptionValue.AUTO))
            .isPresent();
    return isDirect && !namesControl ? OptionValue.AUTO : TCP;
  }

  /** The inverse of {@link #text}. */
  public static TransportOption parse(String text) throws UsageException {
    List<DataTransport> parts = new ArrayList<>();
    for (String word : text.split(",", -1)) {
      if (!WORDS.contains(word)) {
        throw new UsageException(NAME + " takes tcp, udt or auto, not '" + word + "'");
      }
      parts.add(DataTransport.valueOf(word.toUpperCase(Locale.ROOT)));
    }
    return new TransportOption(parts);
  }

  /** The value of the option. */
  public String text() {
    return parts.stream()
        .map(part -> part.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(","));
  }

  /** The transport of a part, counted from 0. */
  public DataTransport part(int number) {
    return parts.size() == 1 ? parts.get(0) : parts.get(number);
  }
}
