package io.fdt.cli.option.transfer;

import io.fdt.core.model.Checksum;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The lists of plain digests of a copy. Immutable.
 *
 * @param manifest the list to write
 * @param expected the digests to compare, by normal paths beneath the destination
 * @param checksum the plain digest
 * @param made whether this machine computes digests during the copy; otherwise the destination
 *     computes them afterwards
 */
public record CopySums(
    Optional<Path> manifest, Map<String, SumsFile.Sum> expected, Checksum checksum, boolean made) {
  /** No lists. */
  public static final CopySums NONE =
      new CopySums(Optional.empty(), Map.of(), Checksum.SHA256, false);

  public CopySums {
    expected = Map.copyOf(expected);
  }

  /** Whether there is a list to write or to compare with. */
  public boolean hasLists() {
    return manifest.isPresent() || !expected.isEmpty();
  }

  /** A path without redundant dots and slashes: equal for the same file. */
  public static String normal(String path) {
    StringBuilder normal = new StringBuilder();
    for (String name : List.of(path.split("/"))) {
      if (!name.isEmpty() && !name.equals(".")) {
        normal.append(normal.isEmpty() && !path.startsWith("/") ? "" : "/").append(name);
      }
    }
    return normal.toString();
  }
}
