package io.fdt.cli.run;

import io.fdt.core.error.FdtException;

/** A parsed command, from subcommands or FDT's flags, that can be run. */
public interface Command {
  /** Runs the command; the result is the exit status. */
  int run(CommandContext context) throws FdtException, InterruptedException;

  /** Whether a program reads the output. */
  default boolean json() {
    return false;
  }

  /** The least verbosity of its log; negative if it logs nothing. */
  default int leastVerbosity() {
    return 0;
  }
}
