package io.fdt.cli.output.text;

import io.fdt.client.TransferRequest;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.core.tuning.Advice;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.PathFigures;
import io.fdt.core.tuning.PathLimit;
import io.fdt.core.tuning.Sample;
import io.fdt.core.tuning.Side;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Advice after a transfer with --explain, as lines of text. Pure. */
public final class ExplainedAdvice {
  private ExplainedAdvice() {}

  /** Whether the limits of the hosts matter. */
  public static boolean isOfHosts(Bottleneck limit, Sample whole) {
    return limit.isNetwork() || (limit == Bottleneck.CPU && PathLimit.waitedForWindow(whole));
  }

  /**
   * The advice for the limit of a transfer.
   *
   * @param request of the transfer
   * @param here the limits of this host, or of the source's between two servers; empty if they do
   *     not matter
   * @param there the limits of the other host; empty if they are unknown
   */
  public static List<String> lines(
      Bottleneck limit,
      Sample whole,
      TransferRequest request,
      Optional<HostLimits> here,
      Optional<HostLimits> there) {
    Direction direction = request.direction();
    boolean isPush = direction != Direction.PULL;
    Optional<HostLimits> sender = isPush ? here : there;
    Optional<HostLimits> receiver = isPush ? there : here;
    PathFigures path =
        new PathFigures(
            OptionalLong.empty(),
            whole.rate(),
            Duration.of(whole.roundTripMicros(), ChronoUnit.MICROS),
            whole.streams(),
            whole.loss(),
            !request.spec().rateLimit().isNone(),
            request.spec().socketBuffer() > 0);
    List<String> lines = new ArrayList<>();
    List<Advice> all = new ArrayList<>();
    if (limit == Bottleneck.CPU && sender.isPresent() && receiver.isPresent()) {
      PathLimit.fullWindow(whole, sender.get(), receiver.get())
          .ifPresent(
              window -> {
                lines.add(
                    "what limited it as well: " + window.text() + ", full in each of the streams");
                all.addAll(Advice.of(window, sender, receiver, path));
              });
    }
    all.addAll(Advice.of(limit, sender, receiver, path));
    for (Advice advice : all) {
      lines.add("what would help: " + advice.text());
      if (!advice.lines().isEmpty()) {
        lines.add(
            "  on %s, in /etc/sysctl.d/90-fdt.conf, then sysctl --system:"
                .formatted(host(advice.side().orElseThrow(), direction)));
        advice.lines().forEach(line -> lines.add("    " + line));
      }
    }
    return lines;
  }

  private static String host(Side side, Direction direction) {
    boolean sends = side == Side.SENDER;
    return switch (direction) {
      case PUSH -> sends ? "this host" : "the server's host";
      case PULL -> sends ? "the server's host" : "this host";
      case BETWEEN -> sends ? "the source's host" : "the destination's host";
    };
  }
}
