package io.fdt.cli.service;

import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.core.error.FdtException;

/** A request to the transfer service. */
record ServiceRun(Command request, boolean json) implements Command {
  @Override
  public int run(CommandContext context) throws FdtException, InterruptedException {
    return request.run(context);
  }
}
