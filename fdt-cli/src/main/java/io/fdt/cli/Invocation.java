package io.fdt.cli;

/**
 * A command and how much it shall tell of itself.
 *
 * @param verbosity 0 to 3: warnings, events, details, everything
 */
record Invocation(Command command, int verbosity) {}
