package io.fdt.core.storage;

import io.fdt.core.model.CheckedRange;
import java.util.List;

/**
 * What an earlier transfer left of a file that it could not finish.
 *
 * @param kept ranges that need not be sent again, in order
 * @param doubtful the same, once the source is known to have them: it may have changed since
 * @param note one line for a person when something was found and cannot be used; otherwise empty
 * @param isSettled whether nothing is to be done here: another transfer completes the file
 */
public record PartialFile(
    List<CheckedRange> kept, List<CheckedRange> doubtful, String note, boolean isSettled) {
  /** Nothing was left. */
  public static final PartialFile NONE = new PartialFile(List.of(), List.of(), "", false);

  /** Nothing is to be done here. */
  public static final PartialFile SETTLED = new PartialFile(List.of(), List.of(), "", true);

  /** Something was found that cannot be used. */
  public static PartialFile useless(String note) {
    return new PartialFile(List.of(), List.of(), note, false);
  }

  /**
   * What was found of one version of the source.
   *
   * @param isUnchanged whether the source is proven to be that version still
   */
  public static PartialFile of(List<CheckedRange> found, boolean isUnchanged) {
    return isUnchanged
        ? new PartialFile(found, List.of(), "", false)
        : new PartialFile(List.of(), found, "", false);
  }

  public PartialFile {
    kept = List.copyOf(kept);
    doubtful = List.copyOf(doubtful);
  }
}
