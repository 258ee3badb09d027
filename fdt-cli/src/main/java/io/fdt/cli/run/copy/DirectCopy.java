package io.fdt.cli.run.copy;

import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.run.CommandContext;
import io.fdt.core.error.FdtException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Copies between this machine and a server, or between two servers. */
public record DirectCopy(Copy copy) implements Copier {
  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    return CopyRun.copy(copy, context, Optional.empty());
  }

  @Override
  public Copier with(UnaryOperator<Copy> change) {
    return new DirectCopy(change.apply(copy));
  }
}
