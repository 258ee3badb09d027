package io.fdt.cli.option.transfer;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The output of a transfer.
 *
 * @param json whether it is events on standard output
 * @param quiet whether only errors are shown
 * @param explain whether it says what limits the transfer
 * @param monitor whether it has all figures, as a page or as events
 * @param report the file for the outcome of each file
 * @param sums the lists of digests
 * @param repeated whether a copy that changes nothing is not shown
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

  /** The same of a repeated copy. */
  public CopyOutput ofMany() {
    return new CopyOutput(json, quiet, explain, monitor, report, sums, true);
  }
}
