package io.fdt.core.tuning;

import io.fdt.core.error.Setting;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.NumberText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Advice for a higher rate of a transfer. Immutable.
 *
 * <p>Settings follow ESnet's host tuning (fasterdata.es.net/host-tuning/linux), with sizes computed
 * from the path. Advice never lowers a setting.
 *
 * @param side the host to change; empty for the user who starts the transfer
 * @param text one or more sentences
 * @param lines for the sysctl.conf of that host; may be empty
 */
public record Advice(Optional<Side> side, String text, List<String> lines) {
  /** The most streams of a client. */
  static final int MOST_STREAMS = 128;

  public Advice {
    lines = List.copyOf(lines);
  }

  /** The advice against one limit, the best first. */
  public static List<Advice> of(
      Bottleneck limit,
      Optional<HostLimits> sender,
      Optional<HostLimits> receiver,
      PathFigures path) {
    return switch (limit) {
      case RATE_LIMIT ->
          List.of(
              start(
                  path.ownLimit()
                      ? "The rate limit holds it back: raise it, or leave it out."
                      : "The server's limit holds it back: its administrator may raise it."));
      case CPU ->
          List.of(
              start(
                  "A processor is busy all the time. Small files cost it more than large ones;"
                      + " fewer"
                      + " streams (%s), no %s where the network is trusted, and %s cost it less."
                          .formatted(
                              Setting.STREAMS,
                              Setting.ENCRYPTION,
                              Setting.CHECKSUM.with("crc32c"))));
      case SOURCE_DISK ->
          List.of(
              start(
                  "The source's disk gives no more, and the network waits for it: more readers for"
                      + " each disk (%s) help with SSDs, data on several disks helps with all."
                          .formatted(Setting.READERS.with(4))));
      case NAMES ->
          List.of(
              start(
                  "Neither disks nor network have enough to do, because names are still being found"
                      + " or looked up: fewer and larger files, or an archive of them, are"
                      + " faster."));
      case DESTINATION_DISK ->
          List.of(
              start(
                  "The destination's disk takes no more: more writers for each disk (%s) help with"
                          .formatted(Setting.WRITERS.with(4))
                      + " SSDs and several files; %s and %s cost time there."
                          .formatted(Setting.VERIFY, Setting.FSYNC)));
      case RECEIVE_WINDOW -> window(Side.RECEIVER, receiver, path);
      case SEND_BUFFER -> window(Side.SENDER, sender, path);
      case LOSS -> loss(sender, path);
      case NETWORK -> network(sender, receiver, path);
    };
  }

  /** Advice for the user who starts the transfer. */
  private static Advice start(String text) {
    return new Advice(Optional.empty(), text, List.of());
  }

  /** The advice for a window of one host that is too small. */
  private static List<Advice> window(Side side, Optional<HostLimits> host, PathFigures path) {
    Optional<PathGoal> goal = path.goal();
    OptionalLong window = host.isEmpty() ? OptionalLong.empty() : side.window(host.get());
    if (goal.isEmpty() || window.isEmpty()) {
      return List.of(
          new Advice(
              Optional.of(side),
              "What the %s's system allows is not known; on Linux it is the last number of %s."
                  .formatted(side.text(), side.setting().key()),
              List.of()),
          start("More streams (%s) carry more without it.".formatted(Setting.STREAMS)));
    }
    List<Advice> all = new ArrayList<>();
    List<String> lines = side.lines(host.get(), goal.get().bytesUnderWay());
    if (lines.isEmpty()) {
      all.add(
          new Advice(
              Optional.of(side),
              "The %s's system lets one stream have %s, which is enough for %s: %s."
                  .formatted(
                      side.text(),
                      side.windowText(host.get()),
                      goal.get().text(),
                      path.fixedBuffers()
                          ? "leave out %s, with which the system cannot adapt the buffer"
                              .formatted(Setting.SOCKET_BUFFER)
                          : "the path carries no more, or the receiving program takes no more"),
              List.of()));
      return all;
    }
    all.add(
        new Advice(
            Optional.of(side),
            "For %s, %s must be under way; the %s's system lets one stream have %s."
                .formatted(
                    goal.get().text(),
                    ByteSize.ofBytes(goal.get().bytesUnderWay()),
                    side.text(),
                    side.windowText(host.get())),
            lines));
    streams(window.getAsLong(), goal.get(), path).ifPresent(all::add);
    return all;
  }

  /** The advice to use more streams with the present windows. */
  private static Optional<Advice> streams(long window, PathGoal goal, PathFigures path) {
    long streams = Side.streams(window, goal.bytesUnderWay());
    if (streams <= path.streams()) {
      return Optional.empty();
    }
    return Optional.of(
        start(
            streams <= MOST_STREAMS
                ? "Without any change there: %s carries %s, or let %s find out."
                    .formatted(Setting.STREAMS.with(streams), goal.text(), Setting.TUNE_STREAMS)
                : "Even %d streams, the most there are, carry only %s with windows of this size."
                    .formatted(
                        MOST_STREAMS,
                        NumberText.networkRate(
                            MOST_STREAMS * window / PathGoal.seconds(goal.roundTrip())))));
  }

  /** The advice for packet loss without a queue. */
  private static List<Advice> loss(Optional<HostLimits> sender, PathFigures path) {
    List<Advice> all = new ArrayList<>();
    String oneIn =
        path.loss() > 0
            ? String.format(Locale.US, "1 packet in %,d is lost", Math.round(1 / path.loss()))
            : "Packets are lost";
    all.add(
        start(
            oneIn
                + " on the path, and each loss slows its stream down: more streams ("
                + Setting.TUNE_STREAMS
                + ") share the losses; who runs the network should look for a bad cable, port or"
                + " policer."));
    List<String> current = words(sender, KernelSetting.CONGESTION_CONTROL);
    List<String> available = words(sender, KernelSetting.AVAILABLE_CONGESTION_CONTROL);
    if (!current.isEmpty() && !current.contains("bbr")) {
      all.add(
          new Advice(
              Optional.of(Side.SENDER),
              "The sender's congestion control is %s; bbr does not take each loss for congestion%s."
                  .formatted(
                      current.get(0),
                      available.contains("bbr") ? "" : " (first: modprobe tcp_bbr)"),
              List.of(KernelSetting.CONGESTION_CONTROL.line("bbr"))));
    }
    return all;
  }

  private static List<String> words(Optional<HostLimits> host, KernelSetting setting) {
    return host.map(limits -> limits.words(setting)).orElse(List.of());
  }

  /** The advice when the hosts are not the limit yet; their windows may be at the wanted rate. */
  private static List<Advice> network(
      Optional<HostLimits> sender, Optional<HostLimits> receiver, PathFigures path) {
    Optional<PathGoal> goal = path.wanted().isPresent() ? path.goal() : Optional.empty();
    if (goal.isEmpty() || path.seen() >= goal.get().bytesPerSecond()) {
      return List.of(
          start(
              "No setting of either host is in the way: the path carries no more, its queues are"
                  + " shared with others, or TCP had not found out yet how much it carries, as in"
                  + " the first seconds over a long path."));
    }
    List<Advice> all = new ArrayList<>();
    all.addAll(tooSmall(Side.SENDER, sender, path));
    all.addAll(tooSmall(Side.RECEIVER, receiver, path));
    if (all.isEmpty()) {
      all.add(
          start(
              "The windows of both hosts are large enough for %s: the path carries less, or is"
                      .formatted(goal.get().text())
                  + " shared with others; "
                  + Setting.TUNE_STREAMS
                  + " finds how many streams carry most."));
    }
    return all;
  }

  private static List<Advice> tooSmall(Side side, Optional<HostLimits> host, PathFigures path) {
    OptionalLong window = host.isEmpty() ? OptionalLong.empty() : side.window(host.get());
    long bytes = path.goal().orElseThrow().bytesUnderWay();
    boolean isTooSmall =
        window.isPresent() && Side.streams(window.getAsLong(), bytes) > path.streams();
    return isTooSmall ? window(side, host, path) : List.of();
  }
}
