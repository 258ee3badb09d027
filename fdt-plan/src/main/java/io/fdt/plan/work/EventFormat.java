package io.fdt.plan.work;

import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import java.util.function.Consumer;

/** The events of {@code copy --json}, as docs/json-events.schema.json describes them. */
public interface EventFormat {
  /** A listener that writes a line for each file, without line ends, on any thread. */
  TransferListener files(Consumer<String> lines);

  /** The last line of an attempt that failed before its transfer began. */
  String failure(FdtException reason);

  /** The last line of a transfer. */
  String summary(TransferReport report, int exitStatus);
}
