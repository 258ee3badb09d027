package io.fdt.core.model;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.List;

/**
 * Where a dataset goes for a given destination operand; the rule of rsync, so that a second run
 * never nests.
 *
 * <p>A source arrives under its own last name inside the destination; its contents do, when it was
 * named with a trailing slash. A link to a directory is that directory. Only one plain file (or
 * link) and a destination that is no directory and has no trailing slash: then the destination is
 * its new name.
 */
public final class DestinationRule {
  private DestinationRule() {}

  /**
   * Whether the destination operand is the new name of the only source, rather than the directory
   * that receives it.
   *
   * @param isDirectory whether a directory stands at the destination
   * @param mustBeDirectory whether the user said so: a trailing slash, or FDT's {@code -d}
   */
  public static boolean isNewName(List<Root> roots, boolean isDirectory, boolean mustBeDirectory) {
    return roots.size() == 1
        && roots.get(0).kind() != EntryKind.DIRECTORY
        && !isDirectory
        && !mustBeDirectory;
  }

  /**
   * Makes sure that what has no name of its own gets one.
   *
   * @param isNewName whether the destination may be, or is, the new name of the only source
   * @throws FdtException USAGE
   */
  public static void requireName(List<Root> roots, boolean isNewName, BytePath destination)
      throws FdtException {
    if (!isNewName && roots.stream().anyMatch(Root::needsName)) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'%s' is a directory, and what is read from a stream has no name: add one, as in %s/NAME"
              .formatted(destination, destination.toString().replaceFirst("/+$", "")));
    }
  }
}
