package io.fdt.core.session.receiver;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.Entry;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The result of placing one entry at the destination.
 *
 * @param <F> the writer of a file
 */
public sealed interface PlacedEntry<F> {
  Entry entry();

  /** The escaped path at the destination. */
  Supplier<String> path();

  /**
   * The file must be sent.
   *
   * @param kept ranges that an earlier transfer wrote, in order
   * @param note information for the user about these; empty for none
   * @param baseSize bytes of the file in which bytes of this one are looked for; 0 for none
   */
  record Wanted<F>(
      Entry entry,
      Supplier<String> path,
      F writer,
      List<CheckedRange> kept,
      String note,
      long baseSize)
      implements PlacedEntry<F> {}

  /** A dry run: the file would be sent. */
  record Due<F>(Entry entry, Supplier<String> path, List<CheckedRange> kept)
      implements PlacedEntry<F> {}

  /**
   * A file of the same size exists: the digests decide.
   *
   * @param there the existing file, opaque here
   */
  record Compare<F>(Entry entry, Supplier<String> path, Object there) implements PlacedEntry<F> {}

  /**
   * An interrupted transfer has left ranges of the file, and the source is not proven unchanged
   * since: the sender reads them again.
   *
   * @param doubtful these ranges, in order; at least one
   * @param same makes the result from the ranges that equal the source
   */
  record Check<F>(
      Entry entry,
      Supplier<String> path,
      List<CheckedRange> doubtful,
      Function<List<CheckedRange>, Wanted<F>> same)
      implements PlacedEntry<F> {}

  /**
   * The existing file is kept unchanged.
   *
   * @param isNewer whether it is kept because it is newer than the source
   */
  record Unchanged<F>(Entry entry, Supplier<String> path, boolean isNewer)
      implements PlacedEntry<F> {
    public Unchanged(Entry entry, Supplier<String> path) {
      this(entry, path, false);
    }
  }

  /**
   * The existing entry is kept with another mode, owner or time; in a dry run these would be set.
   */
  record Differs<F>(Entry entry, Supplier<String> path) implements PlacedEntry<F> {}

  /** An existing name is replaced, or would be in a dry run, by the entry whose outcome follows. */
  record Replaces<F>(Entry entry, Supplier<String> path) implements PlacedEntry<F> {}

  /**
   * The directory or link is in place.
   *
   * @param counts false for an existing link, and in a dry run for an existing directory
   */
  record Made<F>(Entry entry, Supplier<String> path, boolean counts) implements PlacedEntry<F> {}

  /** The file becomes another name of a transferred or existing one. */
  record AnotherName<F>(Entry entry, Supplier<String> path, F writer) implements PlacedEntry<F> {}

  /** The entry is in place, or will be, but without some attribute. */
  record Incomplete<F>(Entry entry, Supplier<String> path, FdtException cause)
      implements PlacedEntry<F> {}

  /** The entry cannot be put in its place. */
  record Failed<F>(Entry entry, Supplier<String> path, FdtException cause)
      implements PlacedEntry<F> {}
}
