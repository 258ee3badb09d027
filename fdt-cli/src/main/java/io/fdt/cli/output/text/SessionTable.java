package io.fdt.cli.output.text;

import io.fdt.client.RemoteSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.Setting;
import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Sessions as a person reads them, one line for each. Not thread-safe. */
public final class SessionTable {
  private static final List<String> HEAD =
      List.of("ID", "STATE", "BYTES", "RATE", "AGE", "OWNER", "COPY");

  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Adds one.
   *
   * @param server that runs it
   */
  public void add(RemoteSession session, String server) {
    rows.add(
        List.of(
            session.shortId(),
            state(session),
            NumberText.bytes(session.figures().bytesDone()),
            session.bytesPerSecond() == 0 ? "-" : NumberText.rate(session.bytesPerSecond()),
            age(session),
            session.request().owner(),
            copy(session, server)));
  }

  private static String state(RemoteSession session) {
    boolean isCancelled = session.failure().equals(Optional.of(ErrorCode.CANCELLED));
    return isCancelled ? "cancelled" : session.state().name().toLowerCase(Locale.ROOT);
  }

  /** The time since its start, or since its end. */
  private static String age(RemoteSession session) {
    Duration age = session.endedAgo().orElse(session.elapsed());
    String text = NumberText.duration(age.truncatedTo(ChronoUnit.SECONDS));
    return session.hasEnded() ? text + " ago" : text;
  }

  private static String copy(RemoteSession session, String server) {
    String from = session.request().isSender() ? server : session.request().peer();
    String to = session.request().isSender() ? session.request().peer() : server;
    int more = session.request().sourceCount() - 1;
    String first = session.request().sources().isEmpty() ? "/" : session.request().sources().get(0);
    String reason =
        session.state() == RemoteSession.State.WAITING && session.failure().isPresent()
            ? " (" + Setting.asOptions(session.failureMessage()) + ")"
            : "";
    return "%s:%s%s -> %s:%s%s"
        .formatted(
            from,
            first,
            more > 0 ? " and " + more + " more" : "",
            to,
            session.request().destination(),
            reason);
  }

  /** The table; nothing when there is no session. */
  public List<String> lines() {
    if (rows.isEmpty()) {
      return List.of();
    }
    List<List<String>> all = new ArrayList<>(List.of(HEAD));
    all.addAll(rows);
    int[] widths = new int[HEAD.size()];
    for (List<String> row : all) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return all.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = row.get(i);
      line.append(cell);
      if (i < widths.length - 1) {
        line.append(" ".repeat(widths[i] - cell.length() + 2));
      }
    }
    return line.toString();
  }
}
