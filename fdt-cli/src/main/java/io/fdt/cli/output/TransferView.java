package io.fdt.cli.output;

import io.fdt.client.RelayFigures;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import java.time.Duration;
import java.util.List;

/** How a transfer is told of. Files and notices come on its threads, the rest on one at a time. */
public interface TransferView extends TransferListener {
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
