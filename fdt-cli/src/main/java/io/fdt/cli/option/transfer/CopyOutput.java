package io.fdt.cli.option.transfer;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The output of a transfer.
 *
 * @param json whether events go to standard output
 * @param quiet whether only errors are shown
 * @param digests whether each copied file is named, after its digest
 * @param explain whether the output says what limits the transfer
 * @param monitor whether the output has all figures, as a page or as events
 * @param report the file for the outcome of each file
 * @param sums the lists of digests
 * @param occasion the reason for the output
 */
public record CopyOutput(
    boolean json,
    boolean quiet,
    boolean digests,
    boolean explain,
    boolean monitor,
    Optional<Path> report,
    CopySums sums,
    Occasion occasion) {
  /** Why output is shown. */
  public enum Occasion {
    /** The user has requested the copy. */
    USUAL,
    /** The copy is one of a series: it is shown only if it changes something. */
    REPEATED,
    /** The dry run precedes a question: names are shown with -v only. */
    QUESTION
  }

  /** Only problems and the summary. */
  public static final CopyOutput PLAIN =
      new CopyOutput(
          false, false, false, false, false, Optional.empty(), CopySums.NONE, Occasion.USUAL);

  static final Path STANDARD = Path.of("/dev/stdout");

  /** Whether a file of the copy is standard output, where no message may stand then. */
  public boolean usesStandardOutput() {
    return report.equals(Optional.of(STANDARD)) || sums.manifest().equals(Optional.of(STANDARD));
  }

  /** The same with lists of digests. */
  public CopyOutput with(CopySums other) {
    return new CopyOutput(json, quiet, digests, explain, monitor, report, other, occasion);
  }

  /** The same on another occasion. */
  public CopyOutput on(Occasion other) {
    return new CopyOutput(json, quiet, digests, explain, monitor, report, sums, other);
  }
}
