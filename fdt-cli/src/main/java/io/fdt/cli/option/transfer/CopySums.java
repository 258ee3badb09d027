package io.fdt.cli.option.transfer;

import io.fdt.core.model.Checksum;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The lists of plain digests that a copy has to do with. Immutable.
 *
 * @param manifest where a list of all that is copied is written
 * @param expected what files should have, by their normal paths beneath the destination; empty when
 *     nothing is expected
 * @param checksum the plain digest
 * @param made whether this machine makes it while it reads or writes the files; otherwise the
 *     destination is asked after the copy
 */
public record CopySums(
    Optional<Path> manifest, Map<String, SumsFile.Sum> expected, Checksum checksum, boolean made) {
  /** Nothing is written, nothing is expected. */
  public static final CopySums NONE =
      new CopySums(Optional.empty(), Map.of(), Checksum.SHA256, false);

  public CopySums {
    expected = Map.copyOf(expected);
  }

  /** Whether there is a list to write or to compare with. */
  public boolean hasLists() {
    return manifest.isPresent() || !expected.isEmpty();
  }

  /** A path without dots and slashes that say nothing; two that are the same file are equal. */
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
