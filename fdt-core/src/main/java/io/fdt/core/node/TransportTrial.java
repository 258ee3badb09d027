package io.fdt.core.node;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.TransportTuner;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Carries out the decisions of a {@link TransportTuner} for one session: checks whether the server
 * answers over UDP, and has streams redialed. Confined to the event loop of the session.
 */
final class TransportTrial {
  /** The time for a handshake and a probe, one of them lost, and three round trips. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final int ROUND_TRIPS = 8;

  private final SessionLoop loop;
  private final PreconnectedSockets lines;
  private final StreamDialer streams;
  private final TransportTuner tuner = new TransportTuner();
  private Observation last;

  private TransportTrial(SessionLoop loop, PreconnectedSockets lines, StreamDialer streams) {
    this.loop = loop;
    this.lines = lines;
    this.streams = streams;
  }

  /**
   * Wraps the events of a new session and adds the decisions, where the transport may use UDP and
   * there is data to move.
   *
   * @param roundTrip to the server; zero when unknown
   */
  static TransferEvents watched(
      SessionLoop loop,
      PreconnectedSockets lines,
      StreamDialer streams,
      Duration roundTrip,
      TransferEvents events) {
    if (!lines.hasUdp() || streams.terms.spec().dryRun()) {
      return events;
    }
    TransportTrial trial = new TransportTrial(loop, lines, streams);
    lines.watchUdp(
        PATIENCE.plus(roundTrip.multipliedBy(ROUND_TRIPS)),
        cause -> loop.run(() -> trial.unreachable(cause)));
    streams.watchUdp(trial::moved);
    return new ObservedEvents(events, trial::look, trial::unreported);
  }

  /** Probes with a connection of its own; data streams are not affected. */
  private void ask(InetSocketAddress server) {
    lines
        .dialUdp(server)
        .thenAccept(
            line -> {
              line.close();
              loop.run(() -> carryOut(tuner.reached()));
            });
  }

  private void unreachable(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    boolean late = failure instanceof TimeoutException || cause instanceof TimeoutException;
    carryOut(
        tuner.unreachable(
            late
                ? "the server does not answer over UDP; check the firewalls between"
                : String.valueOf(cause.getMessage())));
  }

  private void moved() {
    if (tuner.moved(streams.arrivedOverUdp())) {
      loop.after(TransportTuner.LOOK_NANOS, this::lookAtStart);
    }
  }

  private void lookAtStart() {
    carryOut(tuner.look(streams.arrivedOverUdp()));
    if (tuner.isStarting()) {
      loop.after(TransportTuner.LOOK_NANOS, this::lookAtStart);
    }
  }

  private Observation look(Observation seen) {
    carryOut(tuner.next(seen.sample()));
    if (tuner.usesUdp() && streams.onlyAddress().isEmpty()) {
      severalAddresses();
    }
    last = seen;
    return withReason(seen);
  }

  /** The last observation again, if a decision followed it. */
  private Optional<Observation> unreported() {
    return Optional.ofNullable(last)
        .map(seen -> withReason(seen.withChange("")))
        .filter(seen -> !seen.change().isEmpty());
  }

  private Observation withReason(Observation seen) {
    String reason = tuner.takeReason();
    if (reason.isEmpty()) {
      return seen;
    }
    return seen.withChange(seen.change().isEmpty() ? reason : seen.change() + "; " + reason);
  }

  private void severalAddresses() {
    carryOut(tuner.impossible("the server has several addresses or data nodes"));
  }

  private void carryOut(TransportTuner.Step step) {
    switch (step) {
      case STAY -> {}
      case ASK -> {
        if (lines.udpIsRefused()) {
          carryOut(tuner.impossible("the server accepts no data over UDP"));
          return;
        }
        Optional<InetSocketAddress> server = streams.onlyAddress();
        server.ifPresentOrElse(this::ask, this::severalAddresses);
      }
      case TO_UDP -> streams.useUdp(true);
      case TO_TCP -> streams.useUdp(false);
    }
  }
}
