package io.fdt.cli.option.transfer;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a transfer is told of.
 *
 * @param json as events for a program, on standard output
 * @param quiet nothing but what goes wrong
 * @param explain with what limits it
 * @param monitor with all figures: as a page, or as events for a program
 * @param report where the outcome of each file is to be written
 * @param sums the lists of digests that it has to do with
 * @param repeated whether it is one of many, of which those are not told that change nothing
 */
public record CopyOutput(
    boolean json,
    boolean quiet,
    boolean explain,
    boolean monitor,
    Optional<Path> report,
    CopySums sums,
    boolean repeated) {
  /** The same with lists of digests. */
  public CopyOutput with(CopySums other) {
    return new CopyOutput(json, quiet, explain, monitor, report, other, repeated);
  }

  /** The same of one of many. */
  public CopyOutput ofMany() {
    return new CopyOutput(json, quiet, explain, monitor, report, sums, true);
  }
}
