package io.fdt.cli.option.transfer;

import io.fdt.core.error.FdtException;
import io.fdt.core.filter.Filters;
import java.nio.file.Path;
import java.util.List;

/**
 * Filters as a command line names them. Immutable.
 *
 * @param before names of classes, in the order in which they run
 * @param after names of classes, in the order in which they run
 * @param path directories and jars searched besides the class path
 */
public record FilterNames(List<String> before, List<String> after, List<Path> path) {
  /** Whether there are none. */
  public boolean isEmpty() {
    return before.isEmpty() && after.isEmpty();
  }

  /** Loads the filters. */
  public Filters load() throws FdtException {
    return isEmpty() ? Filters.NONE : Filters.load(before, after, path);
  }
}
