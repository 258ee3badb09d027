package io.fdt.cli.command;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Invocation;
import java.util.List;

/** Reads the words after a subcommand. */
@FunctionalInterface
interface Subcommand {
  Invocation parse(List<String> arguments, Surroundings surroundings) throws UsageException;
}
