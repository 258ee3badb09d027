package io.fdt.plan.work;

import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import java.util.function.Consumer;

/** The events of {@code copy --json}, as docs/json-events.schema.json describes them. */
public interface EventFormat {
  /** Hears what becomes of each file; gives lines without their end, on any thread. */
  TransferListener files(Consumer<String> lines);

  /** The last line of an attempt that failed before its transfer began. */
  String failure(FdtException reason);

  /** The last line of a transfer. */
  String summary(TransferReport report, int exitStatus);
}
