package io.fdt.cli.option.transfer;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.Checksum;
import java.util.List;

/** An action on files of a server. Immutable. */
public sealed interface FileVerb {
  /** The paths on the server. */
  List<BytePath> paths();

  /**
   * List files.
   *
   * @param detailed with modes, sizes and times
   * @param recursive with all beneath them
   * @param unsorted in the order of the server, without keeping them
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

  /** Make directories, with their parents if {@code parents}. */
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
   * @param dryRun only show what would be removed
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
