package io.fdt.cli.option;

import io.fdt.core.model.Tuning;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How many connections each part of the way has, and which congestion control: to the first relay,
 * from relay to relay, to the server. Pure.
 *
 * @param connections in this order; empty when -P has one value, which holds for all parts
 * @param congestions in this order; empty when --congestion has one value, which is the sender's
 * @param tunesCongestion that value is {@code auto}, which holds for relays, too
 */
public record WayParts(
    List<Integer> connections, List<String> congestions, boolean tunesCongestion) {

  private static final int MOST_CONNECTIONS = 128;

  /** Connections that carry one stream together. */
  private static final int MOST_OF_STREAM = 64;

  public WayParts {
    connections = List.copyOf(connections);
    congestions = List.copyOf(congestions);
  }

  /** Whether an option has a value for each part. */
  static boolean isList(ParsedLine line, String option) {
    return line.value(option).filter(text -> text.contains(",")).isPresent();
  }

  /**
   * What a line says.
   *
   * @throws UsageException it does not fit the way
   */
  static WayParts of(ParsedLine line) throws UsageException {
    boolean isTuned = RequestOptions.tunesCongestion(line);
    if (!isList(line, Options.STREAMS) && !isList(line, Options.CONGESTION)) {
      return new WayParts(List.of(), List.of(), isTuned);
    }
    ViaOptions via = ViaOptions.of(line);
    return new WayParts(
        isList(line, Options.STREAMS) ? connections(line, via) : List.of(),
        isList(line, Options.CONGESTION) ? congestions(line, via) : List.of(),
        isTuned);
  }

  /**
   * Refuses values for each part.
   *
   * @param what has only one part, in words
   */
  public static void checkNone(ParsedLine line, String what) throws UsageException {
    for (String option : List.of(Options.STREAMS, Options.CONGESTION)) {
      if (isList(line, option)) {
        throw new UsageException(
            "%s %s: values for the parts of a way do not work with %s; give one"
                .formatted(line.typed(option), line.value(option).orElseThrow(), what));
      }
    }
  }

  private static List<Integer> connections(ParsedLine line, ViaOptions via) throws UsageException {
    List<Integer> connections = new ArrayList<>();
    for (String word : words(line, Options.STREAMS, via)) {
      if (word.equals(Tuning.AUTO)) {
        throw new UsageException(
            "%s %s: auto stands alone; give a number for each part"
                .formatted(line.typed(Options.STREAMS), line.value(Options.STREAMS).orElseThrow()));
      }
      connections.add(OptionValue.count(line.typed(Options.STREAMS), word, 1, MOST_CONNECTIONS));
    }
    int streams = Collections.min(connections);
    int most = Collections.max(connections);
    if (most > MOST_OF_STREAM * streams) {
      throw new UsageException(
          "%s %s: a stream would have more than %d connections; give each part at least %d"
              .formatted(
                  line.typed(Options.STREAMS),
                  line.value(Options.STREAMS).orElseThrow(),
                  MOST_OF_STREAM,
                  (most + MOST_OF_STREAM - 1) / MOST_OF_STREAM));
    }
    return connections;
  }

  private static List<String> congestions(ParsedLine line, ViaOptions via) throws UsageException {
    List<String> congestions = new ArrayList<>();
    for (String word : words(line, Options.CONGESTION, via)) {
      congestions.add(OptionValue.congestion(Options.CONGESTION, word));
    }
    return congestions;
  }

  private static String[] words(ParsedLine line, String option, ViaOptions via)
      throws UsageException {
    String text = line.value(option).orElseThrow();
    String typed = line.typed(option) + " " + text;
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

  /** Whether parts have different numbers. */
  public boolean hasConnections() {
    return !connections.isEmpty();
  }

  /** Streams of a session: as many as the part with the fewest connections has. */
  public int streams() {
    return Collections.min(connections);
  }

  /** Connections of one part of the way, counted from 0. */
  public int connections(int part) {
    return connections.get(part);
  }

  /**
   * The congestion control of one part, counted from 0: {@link Tuning#AUTO} to find it out, empty
   * for that of the systems.
   */
  public String congestion(int part) {
    if (tunesCongestion) {
      return Tuning.AUTO;
    }
    return congestions.isEmpty() ? "" : congestions.get(part);
  }

  /** That of the part on which the sender of a copy sends: the first one in a push. */
  String congestionOfSender(boolean isPull) {
    return congestion(isPull ? congestions.size() - 1 : 0);
  }
}
