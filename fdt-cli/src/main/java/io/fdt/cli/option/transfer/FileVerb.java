package io.fdt.cli.option.transfer;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import java.util.List;

/** What to do with files of a server. Immutable. */
public sealed interface FileVerb {
  /** What it names on the server. */
  List<BytePath> paths();

  /**
   * Show what is there.
   *
   * @param detailed with modes, sizes and times
   * @param recursive with all beneath it
   * @param unsorted as it comes, so that nothing is kept
   * @param human sizes in units
   */
  record Look(BytePath path, boolean detailed, boolean recursive, boolean unsorted, boolean human)
      implements FileVerb {
    @Override
    public List<BytePath> paths() {
      return List.of(path);
    }
  }

  /** Show the things themselves. */
  record Stat(List<BytePath> paths) implements FileVerb {}

  /** Make directories, with those above them if {@code parents}. */
  record MakeDirectories(List<BytePath> paths, boolean parents) implements FileVerb {}

  /** Give something another path. */
  record Rename(BytePath from, BytePath to) implements FileVerb {
    @Override
    public List<BytePath> paths() {
      return List.of(from, to);
    }
  }

  /**
   * Remove files, or directories as well if {@code recursive}.
   *
   * @param dryRun only tell what would go
   */
  record Remove(List<BytePath> paths, boolean recursive, boolean dryRun) implements FileVerb {}

  /**
   * Show digests of files, or of all beneath directories if {@code recursive}.
   *
   * @param plain as sha256sum and xxhsum make them; else as a transfer does
   */
  record Digests(List<BytePath> paths, boolean recursive, Checksum checksum, boolean plain)
      implements FileVerb {}

  /** Add up sizes. */
  record Measure(List<BytePath> paths, boolean human) implements FileVerb {}
}
