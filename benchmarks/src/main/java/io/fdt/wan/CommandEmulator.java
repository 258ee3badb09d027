package io.fdt.wan;

import io.fdt.compare.OwnServer.Place;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Creates paths with a command of the user, for machines whose kernel has no netem.
 *
 * <ul>
 *   <li>{@code up NAME --rate 1000m --rtt 150 --loss 0.005% --queue BYTES} makes hosts a and b and
 *       prints {@code a=ADDRESS b=ADDRESS} somewhere; its environment has BUF, the maximum size of
 *       a socket buffer, MTU, and CC (congestion control).
 *   <li>{@code run NAME a|b COMMAND...} runs a command on that host, with exec, so that signals
 *       reach it.
 *   <li>{@code change NAME --rate 333m} changes the rate of a path in use; optional.
 *   <li>{@code down NAME} removes them.
 * </ul>
 */
final class CommandEmulator implements Emulator {
  private static final Pattern ADDRESS = Pattern.compile("\\ba=(\\S+) b=(\\S+)");

  private final List<String> command;

  CommandEmulator(String command) {
    this.command = List.of(command.split("\\s+"));
  }

  @Override
  public String what() {
    return "an emulator (FDT_WAN)";
  }

  private List<String> words(String... more) {
    List<String> words = new ArrayList<>(command);
    words.addAll(List.of(more));
    return words;
  }

  private static String rate(Link link) {
    return Link.number(link.megabitsPerSecond()) + "m";
  }

  @Override
  public Hosts up(String name, Link link) throws IOException {
    Emulator.callAnyway(words("down", name));
    List<String> up =
        words(
            "up",
            name,
            "--rate",
            rate(link),
            "--rtt",
            Link.number(link.rttMillis()),
            "--loss",
            Link.number(link.lossPercent()) + "%",
            "--queue",
            Long.toString(link.queue()));
    String printed = Emulator.call(Map.of("BUF", Long.toString(link.bufferBytes())), up);
    Matcher address = ADDRESS.matcher(printed);
    if (!address.find()) {
      throw new IOException(
          String.join(" ", up) + " printed no 'a=ADDRESS b=ADDRESS' but: " + printed.strip());
    }
    return new Hosts() {
      @Override
      public Place source() {
        return new Place(words("run", name, "a"), address.group(1));
      }

      @Override
      public Place destination() {
        return new Place(words("run", name, "b"), address.group(2));
      }

      @Override
      public void change(Link changed) throws IOException {
        Emulator.call(Map.of(), words("change", name, "--rate", rate(changed)));
      }

      @Override
      public void close() throws IOException {
        Emulator.call(Map.of(), words("down", name));
      }
    };
  }
}
