package io.fdt.cli.run;

import io.fdt.core.error.FdtException;

/** A command as a line asks for it, whichever spelling the line has; it runs itself. */
public interface Command {
  /** Runs it; the result is the exit status. */
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
