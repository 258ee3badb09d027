package io.fdt.cli.output;

import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import io.fdt.plan.EventFormat;
import java.util.function.Consumer;

/** The logs of units as events. Stateless; any thread. */
public final class UnitEvents implements EventFormat {
  @Override
  public TransferListener files(Consumer<String> lines) {
    return new FileEvents(lines);
  }

  @Override
  public String failure(FdtException reason) {
    return FileEvents.withError(
            new JsonEvent("summary").with("exit_status", reason.code().exitStatus()),
            reason.code(),
            reason.getMessage())
        .line();
  }

  @Override
  public String summary(TransferReport report, int exitStatus) {
    return JsonView.summary(report, exitStatus);
  }
}
