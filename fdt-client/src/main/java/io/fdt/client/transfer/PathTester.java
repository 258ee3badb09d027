package io.fdt.client.transfer;

import io.fdt.client.FileProblem;
import io.fdt.client.NettestRequest;
import io.fdt.client.PathTest;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.PathLimit;
import io.fdt.core.tuning.Sample;
import java.util.Optional;

/** Summarises the sender's observations of a transfer from memory to memory. Any thread. */
public final class PathTester implements TransferListener {
  private boolean started;
  private Optional<Sample> whole = Optional.empty();

  /** {@inheritDoc} The first second is slow start. */
  @Override
  public synchronized void observed(Observation seen) {
    Sample sample = seen.sample();
    if (started) {
      whole = Optional.of(whole.map(before -> before.and(sample)).orElse(sample));
    }
    started |= sample.bytes() > 0;
  }

  @Override
  public void problem(FileProblem problem) {}

  /**
   * The result of the test.
   *
   * @param here this host
   */
  public synchronized PathTest result(
      NettestRequest request, TransferReport report, HostLimits here, HostLimits server) {
    boolean isPush = request.direction() == TransferRequest.Direction.PUSH;
    HostLimits sender = isPush ? here : server;
    HostLimits receiver = isPush ? server : here;
    double mean = report.figures().bytesDone() / Math.max(1e-3, report.elapsed().toNanos() / 1e9);
    return new PathTest(
        request.direction(),
        request.streams(),
        report.elapsed(),
        whole.map(Sample::rate).orElse(mean),
        whole,
        whole.map(sample -> PathLimit.of(sample, sender, receiver)));
  }
}
