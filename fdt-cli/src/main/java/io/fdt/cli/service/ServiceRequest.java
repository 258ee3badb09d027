package io.fdt.cli.service;

import io.fdt.cli.run.CommandContext;
import io.fdt.core.error.FdtException;

/** What a command line asks of the transfer service. */
@FunctionalInterface
public interface ServiceRequest {
  /** Asks it, and shows the answer; the result is an exit status. */
  int run(CommandContext context) throws FdtException, InterruptedException;
}
