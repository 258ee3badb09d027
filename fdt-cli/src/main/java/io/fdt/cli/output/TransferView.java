package io.fdt.cli.output;

import io.fdt.client.RelayFigures;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.SyncRule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Shows a transfer. Files and notices are reported on the transfer's threads, the rest on one
 * thread at a time.
 */
public interface TransferView extends TransferListener {
  /** How a file was found unchanged; empty if none counts as unchanged. */
  static Optional<String> unchangedBy(SyncRule.Level level) {
    return switch (level) {
      case EXISTS -> Optional.of("existence");
      case SIZE -> Optional.of("size");
      case MTIME -> Optional.of("size-and-time");
      case CHECKSUM -> Optional.of("checksum");
      case NEVER -> Optional.empty();
    };
  }

  /** The transfer begins. */
  void started();

  /** Sets the action by which the user ends the transfer. Before the first {@link #progress}. */
  default void endedBy(Runnable cancellation) {}

  /** The period of {@link #progress}. */
  Duration progressPeriod();

  void progress(TransferProgress progress);

  /** A failure after the transfer, such as an unwritable report. */
  void failed(FdtException cause);

  /** The figures of the relays, before {@link #ended}. */
  default void relays(List<RelayFigures> figures) {}

  /** Advice for people, before {@link #ended}. */
  default void advice(List<String> lines) {}

  /** The transfer has ended. */
  void ended(TransferReport report, int exitStatus);

  /** A signal has ended the transfer. */
  void interrupted(TransferProgress progress);
}
