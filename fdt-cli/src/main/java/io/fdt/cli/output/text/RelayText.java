package io.fdt.cli.output.text;

import io.fdt.client.RelayFigures;
import io.fdt.core.unit.NumberText;
import java.util.List;
import java.util.Locale;

/** The figures of relays, a line each. Pure. */
public final class RelayText {
  /** The share of time above which a relay mostly waits for the next part. */
  private static final double MOSTLY = 0.5;

  private RelayText() {}

  /**
   * The lines.
   *
   * @param relays the nearest first
   * @param isPush whether the data went towards the server
   */
  public static List<String> lines(List<RelayFigures> relays, boolean isPush) {
    return relays.stream().map(relay -> line(relay, isPush)).toList();
  }

  private static String line(RelayFigures relay, boolean isPush) {
    RelayFigures.Flow flow = isPush ? relay.toServer() : relay.toClient();
    String next = isPush ? relay.target() : "this end";
    return "relay %s: passed on %s%s%s%s; the part %s was the slower one: the relay waited for it %d %% of the time"
        .formatted(
            relay.relay(),
            NumberText.bytes(flow.bytes()),
            connections(relay.connections(), flow, next),
            path(flow, next),
            flow.mostWaiting() == 0 ? "" : ", held up to " + NumberText.bytes(flow.mostWaiting()),
            flow.held() >= MOSTLY ? "to " + next : "before it",
            Math.round((flow.held() >= MOSTLY ? flow.held() : 1 - flow.held()) * 100));
  }

  private static String connections(int count, RelayFigures.Flow flow, String next) {
    if (count == 0) {
      return "";
    }
    return " over %s to %s%s"
        .formatted(
            NumberText.count(count, "connection"),
            next,
            flow.congestion().isEmpty() ? "" : " (" + flow.congestion() + ")");
  }

  private static String path(RelayFigures.Flow flow, String next) {
    if (flow.segments() == 0) {
      return "";
    }
    return String.format(
        Locale.US,
        ", round trip to %s %.1f ms, %.4f %% of segments sent again",
        next,
        flow.roundTripMicros() / 1000.0,
        100.0 * flow.segmentsRepeated() / flow.segments());
  }
}
