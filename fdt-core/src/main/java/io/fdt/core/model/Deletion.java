package io.fdt.core.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Whether what the source lacks is removed at the destination, after the transfer has succeeded.
 * Immutable.
 *
 * @param isWanted whether it is
 * @param most names to remove at the very most; with more nothing is removed
 * @param selection what it leaves out is never removed
 * @param within directories beneath the destination that it may look into; empty: whatever the
 *     sender says
 */
public record Deletion(
    boolean isWanted, long most, Selection selection, Optional<List<BytePath>> within) {
  /** Everything stays. */
  public static final Deletion NONE =
      new Deletion(false, Long.MAX_VALUE, Selection.ALL, Optional.empty());

  public Deletion {
    Objects.requireNonNull(selection, "selection");
    within = within.map(List::copyOf);
    if (most < 0) {
      throw new IllegalArgumentException("a number of deletions below 0");
    }
  }
}
