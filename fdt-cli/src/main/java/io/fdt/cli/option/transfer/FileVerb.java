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
   * @param detailed whether to show modes, sizes and times
   * @param recursive whether to list subdirectories
   * @param unsorted whether to keep the order of the server, which needs no memory
   * @param human whether sizes have units
   */
  record Look(BytePath path, boolean detailed, boolean recursive, boolean unsorted, boolean human)
      implements FileVerb {
    @Override
    public List<BytePath> paths() {
      return List.of(path);
    }
  }

  /** Show the attributes of the paths themselves. */
  record Stat(List<BytePath> paths) implements FileVerb {}

  /** Make directories, with their parents if {@code parents}. */
  record MakeDirectories(List<BytePath> paths, boolean parents) implements FileVerb {}

  /** Rename a file or directory. */
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
   * @param plain whether digests are those of sha256sum and xxhsum, rather than those of a transfer
   */
  record Digests(List<BytePath> paths, boolean recursive, Checksum checksum, boolean plain)
      implements FileVerb {}

  /** Add up sizes. */
  record Measure(List<BytePath> paths, boolean human) implements FileVerb {}
}
