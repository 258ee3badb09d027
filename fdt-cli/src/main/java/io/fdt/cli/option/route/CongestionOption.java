package io.fdt.cli.option.route;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.model.Tuning;
import io.fdt.core.spec.TransferOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * The congestion control of each part of the route: to the first relay, from relay to relay, to the
 * server. Pure.
 *
 * @param parts in this order; empty when --congestion has one value, which applies to the sender
 * @param isTuned whether that value is {@code auto}, which applies to relays, too
 */
public record CongestionOption(List<String> parts, boolean isTuned) {
  public CongestionOption {
    parts = List.copyOf(parts);
  }

  /** Whether the number of streams is tuned during the transfer. */
  public static boolean tunesStreams(ParsedLine line) {
    return line.has(TransferOptions.STREAMS, OptionValue.AUTO);
  }

  /** Whether the congestion control is tuned during the transfer, at the sender and at relays. */
  public static boolean isTuned(ParsedLine line) {
    String otherwise = tunesStreams(line) ? OptionValue.AUTO : "";
    return line.value(TransferOptions.CONGESTION.name()).orElse(otherwise).equals(OptionValue.AUTO);
  }

  /** Whether the option has a value for each part. */
  public static boolean isList(ParsedLine line) {
    return line.value(TransferOptions.CONGESTION.name())
        .filter(text -> text.contains(","))
        .isPresent();
  }

  /**
   * The option of a line.
   *
   * @param via the relays to the server
   * @throws UsageException the number of values is not that of the parts
   */
  public static CongestionOption of(ParsedLine line, ViaOptions via) throws UsageException {
    List<String> parts = new ArrayList<>();
    if (isList(line)) {
      for (String word : words(line, via)) {
        parts.add(OptionValue.congestion(TransferOptions.CONGESTION.name(), word));
      }
    }
    return new CongestionOption(parts, isTuned(line));
  }

  /**
   * Refuses values for each part.
   *
   * @param what the kind of copy, whose route has only one part
   */
  public static void checkNoList(ParsedLine line, String what) throws UsageException {
    if (isList(line)) {
      throw new UsageException(
          "%s %s: values for the parts of a way do not work with %s; give one"
              .formatted(
                  TransferOptions.CONGESTION.name(),
                  line.value(TransferOptions.CONGESTION.name()).orElseThrow(),
                  what));
    }
  }

  private static String[] words(ParsedLine line, ViaOptions via) throws UsageException {
    String text = line.value(TransferOptions.CONGESTION.name()).orElseThrow();
    String typed = TransferOptions.CONGESTION.name() + " " + text;
    String[] words = text.split(",", -1);
    if (via.isOpen()) {
      throw new UsageException(
          typed + ": --via auto chooses the way; name its relays with --via HOST[:PORT]");
    }
    if (via.handOver().isPresent()) {
      throw new UsageException(
          typed + ": copy and delivery are sessions of their own with --hand-over; give one value");
    }
    int wanted = via.relays().size() + 1;
    if (words.length != wanted) {
      throw new UsageException(
          "%s has %d values, and the way has %s; give one for each part, or one for all"
              .formatted(typed, words.length, wanted == 1 ? "one part" : wanted + " parts"));
    }
    return words;
  }

  /**
   * The control with which relays send on a part, counted from 0: {@link Tuning#AUTO} to tune it,
   * empty for the default of their systems.
   */
  public String ofRelays(int part) {
    if (isTuned) {
      return Tuning.AUTO;
    }
    return parts.isEmpty() ? "" : parts.get(part);
  }

  /** The control of the sender's part: the first part in a push. */
  public String ofSender(boolean isPull) {
    return ofRelays(isPull ? parts.size() - 1 : 0);
  }
}
