package io.fdt.cli.monitor;

import io.fdt.client.TransferProgress;
import io.fdt.core.tuning.Observation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The figures of a monitor at one moment. Immutable.
 *
 * @param title source and destination, without control characters
 * @param bytesPerSecond the current rate
 * @param rates bytes per second, one for each second, the oldest first
 * @param seen the last observation of the sender
 * @param limitedFor how long the current limit has lasted
 * @param messages the last messages, without control characters, the oldest first
 * @param asks whether the page asks for confirmation to end the transfer
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
