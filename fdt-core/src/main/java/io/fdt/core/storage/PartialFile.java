package io.fdt.core.storage;

import io.fdt.core.model.CheckedRange;
import java.util.List;

/**
 * The usable part of a file from an earlier transfer.
 *
 * @param kept ranges that need not be sent again, in order
 * @param doubtful ranges that need not be sent if the source still has them: it may have changed
 * @param note one line about a partial file that cannot be used; otherwise empty
 * @param isSettled whether another transfer completes the file, so that nothing is left to do
 */
public record PartialFile(
    List<CheckedRange> kept, List<CheckedRange> doubtful, String note, boolean isSettled) {
  /** No partial file. */
  public static final PartialFile NONE = new PartialFile(List.of(), List.of(), "", false);

  /** Another transfer completes the file. */
  public static final PartialFile SETTLED = new PartialFile(List.of(), List.of(), "", true);

  /** A partial file exists and cannot be used. */
  public static PartialFile useless(String note) {
    return new PartialFile(List.of(), List.of(), note, false);
  }

  /**
   * The ranges found for one version of the source.
   *
   * @param isUnchanged whether the source is proven to still be that version
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
