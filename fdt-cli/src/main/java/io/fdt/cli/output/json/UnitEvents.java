package io.fdt.cli.output.json;

import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.SyncRule;
import io.fdt.plan.work.EventFormat;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The logs of units as events. Any thread.
 *
 * @param level by which existing files count as unchanged; empty when that is not known
 */
public record UnitEvents(Optional<SyncRule.Level> level) implements EventFormat {
  @Override
  public TransferListener files(Consumer<String> lines) {
    return new FileEvents(lines, level, Optional.empty());
  }

  @Override
  public String failure(FdtException reason) {
    return new JsonEvent("summary")
        .with("exit_status", reason.code().exitStatus())
        .withError(reason.code(), reason.getMessage())
        .line();
  }

  @Override
  public String summary(TransferReport report, int exitStatus) {
    return JsonView.summary(report, exitStatus);
  }
}
