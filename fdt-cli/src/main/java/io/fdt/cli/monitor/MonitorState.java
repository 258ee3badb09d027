package io.fdt.cli.monitor;

import io.fdt.client.TransferProgress;
import io.fdt.core.tuning.Observation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a monitor shows at one moment. Immutable.
 *
 * @param title what goes where, without control characters
 * @param bytesPerSecond now
 * @param rates bytes per second, one for each second, the oldest first
 * @param seen what the sender saw last; empty before it has said anything
 * @param limitedFor how long the same has limited the transfer
 * @param messages what was told lately, without control characters, the oldest first
 * @param asks whether it asks if the transfer is to end
 */
record MonitorState(
    String title,
    TransferProgress progress,
    double bytesPerSecond,
    List<Double> rates,
    Optional<Observation> seen,
    Duration limitedFor,
    List<String> messages,
    boolean asks) {
  MonitorState {
    rates = List.copyOf(rates);
    messages = List.copyOf(messages);
  }
}
