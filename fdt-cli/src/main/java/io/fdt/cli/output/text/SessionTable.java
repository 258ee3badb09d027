package io.fdt.cli.output.text;

import io.fdt.cli.output.Screen;
import io.fdt.cli.output.Table;
import io.fdt.client.RemoteSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.Setting;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Sessions as a person reads them, one line for each. Not thread-safe. */
public final class SessionTable {
  private final Table table =
      new Table().left("ID", "STATE").right("BYTES", "RATE", "AGE").left("OWNER", "COPY");

  /**
   * Adds one.
   *
   * @param server that runs it
   */
  public void add(RemoteSession session, String server) {
    table.add(
        session.shortId(),
        state(session),
        NumberText.bytes(session.figures().bytesDone()),
        session.hasEnded() ? "" : NumberText.rate(rate(session)),
        age(session),
        session.request().owner(),
        copy(session, server));
  }

  /** The recent rate; the mean until one is known. */
  private static double rate(RemoteSession session) {
    return session.bytesPerSecond() > 0
        ? session.bytesPerSecond()
        : BitRate.mean(session.figures().bytesDone(), session.elapsed());
  }

  private static String state(RemoteSession session) {
    boolean isCancelled = session.failure().equals(Optional.of(ErrorCode.CANCELLED));
    return (isCancelled ? "cancelled" : session.state().name().toLowerCase(Locale.ROOT))
        + (session.request().isDryRun() ? ", dry run" : "");
  }

  /** The time since its start, or since its end. */
  private static String age(RemoteSession session) {
    Duration age = session.endedAgo().orElse(session.elapsed());
    return NumberText.age(age, session.hasEnded());
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

  /**
   * Shows the table.
   *
   * @param none the note in place of a table without sessions; empty for none
   */
  public void show(Screen screen, String none) {
    table.none(none).show(screen);
  }
}
