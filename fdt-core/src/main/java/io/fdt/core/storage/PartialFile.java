package io.fdt.core.storage;

import io.fdt.core.model.CheckedRange;
import java.util.List;

/**
 * What an earlier transfer left of a file that it could not finish.
 *
 * @param kept ranges that need not be sent again, in order; empty when everything has to be
 * @param note one line for a person when something was found and cannot be used; otherwise empty
 */
public record PartialFile(List<CheckedRange> kept, String note) {
  /** Nothing was left. */
  public static final PartialFile NONE = new PartialFile(List.of(), "");

  public PartialFile {
    kept = List.copyOf(kept);
  }
}
