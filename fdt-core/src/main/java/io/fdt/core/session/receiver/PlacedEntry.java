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
 * @param <F> what writes a file
 */
public sealed interface PlacedEntry<F> {
  Entry entry();

  /** Where it is at the destination, for people. */
  Supplier<String> path();

  /**
   * The file is to be sent.
   *
   * @param kept ranges that an earlier transfer wrote, in order
   * @param note what a person should know of these; empty for nothing
   */
  record Wanted<F>(
      Entry entry, Supplier<String> path, F writer, List<CheckedRange> kept, String note)
      implements PlacedEntry<F> {}

  /** A dry run: the file would be sent. */
  record Due<F>(Entry entry, Supplier<String> path, List<CheckedRange> kept)
      implements PlacedEntry<F> {}

  /**
   * A file of the same size is there: the digests decide.
   *
   * @param there what is there; only kept
   */
  record Compare<F>(Entry entry, Supplier<String> path, Object there) implements PlacedEntry<F> {}

  /**
   * An interrupted transfer has left ranges of the file, and the source is not proven unchanged
   * since: the sender reads them again.
   *
   * @param doubtful those ranges, in order; at least one
   * @param same makes what comes of it: takes those of them that the source has, too
   */
  record Check<F>(
      Entry entry,
      Supplier<String> path,
      List<CheckedRange> doubtful,
      Function<List<CheckedRange>, Wanted<F>> same)
      implements PlacedEntry<F> {}

  /** The existing file stays as it is. */
  record Unchanged<F>(Entry entry, Supplier<String> path) implements PlacedEntry<F> {}

  /**
   * The existing entry stays, and got another mode, owner or time; in a dry run it would get one.
   */
  record Differs<F>(Entry entry, Supplier<String> path) implements PlacedEntry<F> {}

  /**
   * The directory or link is in place.
   *
   * @param counts false for a link that is there already, and in a dry run for a directory that is
   */
  record Made<F>(Entry entry, Supplier<String> path, boolean counts) implements PlacedEntry<F> {}

  /** The file becomes another name of one that comes, or is there. */
  record AnotherName<F>(Entry entry, Supplier<String> path, F writer) implements PlacedEntry<F> {}

  /** The entry is in place, or will be, but for something of it. */
  record Incomplete<F>(Entry entry, Supplier<String> path, FdtException cause)
      implements PlacedEntry<F> {}

  /** The entry cannot be put in its place. */
  record Failed<F>(Entry entry, Supplier<String> path, FdtException cause)
      implements PlacedEntry<F> {}
}
