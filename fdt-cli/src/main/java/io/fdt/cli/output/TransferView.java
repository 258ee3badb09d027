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

/** How a transfer is told of. Files and notices come on its threads, the rest on one at a time. */
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

  /** It begins. */
  void started();

  /** How a person who watches may end it. Before the first {@link #progress}. */
  default void endedBy(Runnable cancellation) {}

  /** How often to tell how far it is. */
  Duration progressPeriod();

  void progress(TransferProgress progress);

  /** What has to be told after the transfer cannot be told. */
  void failed(FdtException cause);

  /** How the relays on its way were doing, before it is told that it has ended. */
  default void relays(List<RelayFigures> figures) {}

  /** What would help it, for people, before it is told that it has ended. */
  default void advice(List<String> lines) {}

  /** It has ended. */
  void ended(TransferReport report, int exitStatus);

  /** It was ended by a signal. */
  void interrupted(TransferProgress progress);
}
