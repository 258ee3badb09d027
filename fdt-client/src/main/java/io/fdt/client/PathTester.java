package io.fdt.client;

import io.fdt.core.engine.HostLimitsReader;
import io.fdt.core.engine.ProcessCpu;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.TcpState;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.PathFigures;
import io.fdt.core.tuning.Sample;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;

/**
 * Watches a transfer from memory to memory, and says what limits it. Confined to the thread that
 * waits for its end.
 */
final class PathTester {
  private static final long PERIOD_MILLIS = 100;

  /** Of the test, after its first byte: slow start does not count. */
  private static final double START = 0.4;

  /** How it stood at one time. */
  private record Mark(long nanos, long bytes, List<TcpState> states) {
    long sum(ToLongFunction<TcpState> figure) {
      return states.stream().mapToLong(figure).sum();
    }
  }

  private final ClientTransfer transfer;
  private final NettestRequest request;
  private final RemoteHost server;
  private final ProcessCpu cpu = new ProcessCpu(System.nanoTime());
  private long firstByteNanos;
  private Mark first;
  private Mark last;

  PathTester(ClientTransfer transfer, NettestRequest request, RemoteHost server) {
    this.transfer = transfer;
    this.request = request;
    this.server = server;
  }

  /** Waits for the end. */
  PathTest await() throws FdtException, InterruptedException {
    while (true) {
      try {
        return result(transfer.completion().get(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
      } catch (TimeoutException e) {
        look(System.nanoTime());
      } catch (ExecutionException e) {
        throw Dialer.asFdtException(e.getCause());
      }
    }
  }

  private void look(long nowNanos) {
    long bytes = transfer.progress().bytesDone();
    if (bytes == 0) {
      return;
    }
    firstByteNanos = firstByteNanos == 0 ? nowNanos : firstByteNanos;
    if (nowNanos - firstByteNanos < START * request.duration().toNanos()) {
      return;
    }
    List<TcpState> states = transfer.tcpStates();
    if (first == null) {
      cpu.take(nowNanos);
      first = new Mark(nowNanos, bytes, states);
    } else if (last == null || states.size() >= last.states().size()) { // not while it ends
      last = new Mark(nowNanos, bytes, states);
    }
  }

  private PathTest result(TransferReport report) throws FdtException {
    if (report.failure().isPresent()) {
      throw new FdtException(report.failure().get(), report.failureMessage());
    }
    boolean isPush = request.direction() == TransferRequest.Direction.PUSH;
    double share = cpu.take(System.nanoTime());
    boolean isWatched = last != null;
    double rate =
        isWatched
            ? (last.bytes() - first.bytes()) * 1e9 / (last.nanos() - first.nanos())
            : report.bytes() / Math.max(1e-3, report.elapsed().toNanos() / 1e9);
    Optional<Sample> sample =
        isWatched && isPush && !last.states().isEmpty()
            ? Optional.of(sample(share))
            : Optional.empty();
    PathFigures figures =
        new PathFigures(
            OptionalLong.empty(),
            rate,
            leastRoundTrip(),
            request.streams(),
            sample.map(Sample::loss).orElse(0.0));
    HostLimits here = HostLimitsReader.read();
    Bottleneck limit =
        sample.isPresent()
            ? Bottleneck.of(sample.get())
            : figures.limit(
                share,
                Optional.of(isPush ? here : server.limits()),
                Optional.of(isPush ? server.limits() : here));
    Duration roundTrip =
        Duration.of(sample.map(Sample::roundTripMicros).orElse(0L), ChronoUnit.MICROS);
    return new PathTest(
        request.direction(), figures, roundTrip, report.elapsed(), limit, sample.isPresent());
  }

  private Duration leastRoundTrip() {
    Duration least = server.roundTrip();
    if (last != null) {
      for (TcpState state : last.states()) {
        Duration seen = Duration.of(state.leastRoundTripMicros(), ChronoUnit.MICROS);
        least = !seen.isZero() && seen.compareTo(least) < 0 ? seen : least;
      }
    }
    return least;
  }

  /** As this end, the sender, sees it: memory always has something, and takes everything. */
  private Sample sample(double cpuShare) {
    double busy = Math.max(1, grown(TcpState::busyMicros));
    return new Sample(
        (last.nanos() - first.nanos()) / 1e9,
        last.bytes() - first.bytes(),
        request.streams(),
        grown(TcpState::segments),
        grown(TcpState::retransmits),
        last.sum(TcpState::roundTripMicros) / last.states().size(),
        last.states().stream().mapToLong(TcpState::leastRoundTripMicros).min().orElse(0),
        grown(TcpState::receiveWindowMicros) / busy,
        grown(TcpState::sendBufferMicros) / busy,
        1,
        0,
        cpuShare,
        0,
        false);
  }

  private long grown(ToLongFunction<TcpState> figure) {
    return Math.max(0, last.sum(figure) - first.sum(figure));
  }
}
