package io.fdt.core.storage;

import io.fdt.core.model.CheckedRange;
import java.util.List;

/**
 * What an earlier transfer left of a file that it could not finish.
 *
 * @param kept ranges that need not be sent again, in order; empty when everything has to be
 * @param note one line for a person when something was found and cannot be used; otherwise empty
 * @param isSettled whether nothing is to be done here: another transfer completes the file
 */
public record PartialFile(List<CheckedRange> kept, String note, boolean isSettled) {
  /** Nothing was left. */
  public static final PartialFile NONE = new PartialFile(List.of(), "");

  /** Nothing is to be done here. */
  public static final PartialFile SETTLED = new PartialFile(List.of(), "", true);

  /** Something is to be done, unless all of it is kept. */
  public PartialFile(List<CheckedRange> kept, String note) {
    this(kept, note, false);
  }

  public PartialFile {
    kept = List.copyOf(kept);
  }
}
