package io.fdt.core.node;

import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.TransportTuner;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Carries out what a {@link TransportTuner} decides for one session: asks whether the server
 * answers over UDP, and has streams dialled anew. Confined to the event loop of the session.
 */
final class TransportTrial {
  private static final long ANSWER_MILLIS = 1000;

  private final SessionLoop loop;
  private final PreconnectedSockets lines;
  private final StreamDialer streams;
  private final TransportTuner tuner = new TransportTuner();

  private TransportTrial(SessionLoop loop, PreconnectedSockets lines, StreamDialer streams) {
    this.loop = loop;
    this.lines = lines;
    this.streams = streams;
  }

  /**
   * The events of a session that begins with this server. They tell of the decisions as well, where
   * the transport has another way for data.
   */
  static TransferEvents watched(
      SessionLoop loop,
      PreconnectedSockets lines,
      StreamDialer streams,
      InetSocketAddress server,
      TransferEvents events) {
    if (!lines.hasOther()) {
      return events;
    }
    TransportTrial trial = new TransportTrial(loop, lines, streams);
    trial.ask(server);
    return new ObservedEvents(events, trial::look);
  }

  private void ask(InetSocketAddress server) {
    CompletableFuture<DataConnection> line = lines.dialOther(server);
    line.thenAccept(DataConnection::close); // it was the question, also when it comes late
    line.copy()
        .orTimeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
        .whenComplete((connection, failure) -> loop.run(() -> answered(failure)));
  }

  private void answered(Throwable failure) {
    if (failure == null) {
      tuner.reached();
      return;
    }
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    boolean late = failure instanceof TimeoutException || cause instanceof TimeoutException;
    carryOut(
        tuner.unreachable(
            late
                ? "the server did not answer over UDP within a second"
                : String.valueOf(cause.getMessage())));
  }

  private Observation look(Observation seen) {
    if (streams.isToOneAddress()) {
      carryOut(tuner.next(seen.sample()));
    } else if (tuner.usesUdp()) {
      carryOut(tuner.unreachable("the server has several addresses or data nodes"));
    }
    String reason = tuner.takeReason();
    if (reason.isEmpty()) {
      return seen;
    }
    String change = seen.change().isEmpty() ? reason : seen.change() + "; " + reason;
    return new Observation(
        seen.sample(), seen.limitedBy(), seen.readers(), seen.congestion(), change);
  }

  private void carryOut(TransportTuner.Step step) {
    if (step != TransportTuner.Step.STAY) {
      streams.useOther(step == TransportTuner.Step.TO_UDP);
    }
  }
}
