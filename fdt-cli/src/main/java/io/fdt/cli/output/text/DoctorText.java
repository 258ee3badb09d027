package io.fdt.cli.output.text;

import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.output.DoctorView;
import io.fdt.cli.output.Screen;
import io.fdt.client.PathTest;
import io.fdt.client.RemoteHost;
import io.fdt.client.TransferRequest.Direction;
import io.fdt.core.error.Setting;
import io.fdt.core.tuning.Advice;
import io.fdt.core.tuning.Finding;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.PathGoal;
import io.fdt.core.unit.NumberText;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The findings of fdt doctor as text. */
public final class DoctorText implements DoctorView {
  private static final int MOST_EXPORTS = 10;

  /** The least duration of a test that is advised in place of one that was too short. */
  private static final int LONG_SECONDS = 10;

  private final Screen screen;
  private final Map<Place, Set<String>> settings = new EnumMap<>(Place.class);
  private boolean advised;

  public DoctorText(Screen screen) {
    this.screen = screen;
  }

  @Override
  public void server(ServerAddress address, RemoteHost server) {
    screen.line("server " + address + ": " + server.software() + ", " + host(server.limits()));
    row("round trip", PathGoal.millis(server.roundTrip()));
    if (server.exports().isEmpty()) {
      row("exports", "none that you may reach: ask its administrator for another token");
    }
    server.exports().stream()
        .limit(MOST_EXPORTS)
        .forEach(
            export ->
                row("export", export.path() + (export.writable() ? " (read, write)" : " (read)")));
    if (server.exports().size() > MOST_EXPORTS) {
      row("exports", NumberText.count(server.exports().size()) + " in all");
    }
  }

  private static String host(HostLimits limits) {
    return limits.system() + ", Java " + limits.program().java();
  }

  private void row(String subject, String text) {
    screen.line(String.format(Locale.US, "  %-15s %s", subject, text));
  }

  @Override
  public void test(PathTest test) {
    StringBuilder text = new StringBuilder(NumberText.networkRate(test.bytesPerSecond()));
    text.append(" with ").append(NumberText.count(test.streams(), "stream"));
    if (!test.roundTrip().isZero()) {
      text.append(", round trip ").append(PathGoal.millis(test.roundTrip()));
    }
    if (test.loss() > 0) {
      text.append(String.format(Locale.US, ", %.3f %% sent again", 100 * test.loss()));
    }
    test.sample()
        .ifPresent(
            seen ->
                text.append(
                    String.format(
                        Locale.US,
                        ", processors busy %.0f %% and %.0f %%",
                        100 * seen.senderCpu(),
                        100 * seen.receiverCpu())));
    text.append("; ")
        .append(
            test.limit()
                .map(limit -> "limited by " + limit.text())
                .orElse(
                    "too short to say what limits it (--seconds %d)"
                        .formatted(Math.max(LONG_SECONDS, 2 * test.elapsed().toSeconds()))));
    row(test.direction() == Direction.PUSH ? "to the server" : "from the server", text.toString());
  }

  @Override
  public void thisHost(HostLimits limits) {
    screen.line("this host: " + host(limits));
  }

  @Override
  public void serverHost(RemoteHost server) {
    screen.line("the server's host:");
  }

  @Override
  public void finding(Place place, Finding finding) {
    screen.line(
        String.format(
            Locale.US,
            "  %-15s %-17s %s",
            finding.grade().text(),
            finding.subject(),
            Setting.asOptions(finding.text())));
    keep(place, finding.lines());
  }

  @Override
  public void advice(List<Direction> directions, Place place, Advice advice) {
    if (!advised) {
      screen.line("what would help:");
      advised = true;
    }
    screen.line(
        "  "
            + (directions.size() > 1
                ? "both ways: "
                : directions.contains(Direction.PUSH) ? "to the server: " : "from the server: ")
            + Setting.asOptions(advice.text()));
    keep(place, advice.lines());
  }

  private void keep(Place place, Iterable<String> lines) {
    for (String line : lines) {
      settings.computeIfAbsent(place, p -> new LinkedHashSet<>()).add(line);
    }
  }

  @Override
  public int end(boolean works) {
    settings.forEach(
        (place, lines) -> {
          String host = place == Place.SERVER ? "the server's host" : "this host";
          screen.line(
              "settings for " + host + " (/etc/sysctl.d/90-fdt.conf, then: sysctl --system):");
          lines.forEach(line -> screen.line("  " + line));
        });
    return works ? 0 : 1;
  }
}
