package io.fdt.core.model;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.List;

/**
 * Determines the paths of files for a destination operand, by rsync's rule, so that a second run
 * never nests.
 *
 * <p>A source arrives under its own last name inside the destination; with a trailing slash, its
 * contents do. A link to a directory counts as that directory. The destination is the new name of
 * the source if the only source is a plain file or link and the destination is not a directory and
 * has no trailing slash.
 */
public final class DestinationRule {
  private DestinationRule() {}

  /**
   * Whether the destination operand is the new name of the only source, not the directory that
   * receives it.
   *
   * @param isDirectory whether a directory exists at the destination
   * @param mustBeDirectory whether the user said so: a trailing slash, or FDT's {@code -d}
   */
  public static boolean isNewName(List<Root> roots, boolean isDirectory, boolean mustBeDirectory) {
    return roots.size() == 1
        && roots.get(0).kind() != EntryKind.DIRECTORY
        && !isDirectory
        && !mustBeDirectory;
  }

  /**
   * Rejects a source without a name unless the destination gives it one.
   *
   * @param isNewName whether the destination may be, or is, the new name of the only source
   * @throws FdtException USAGE
   */
  public static void requireName(List<Root> roots, boolean isNewName, BytePath destination)
      throws FdtException {
    if (!isNewName && roots.stream().anyMatch(Root::needsName)) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'%s' is a directory, and a stream has no name: add one, as in %s/NAME"
              .formatted(destination, destination.toString().replaceFirst("/+$", "")));
    }
  }
}
