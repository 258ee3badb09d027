package io.fdt.storage.local.source;

import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.operand.Arrived;
import io.fdt.core.storage.operand.OperandArrivals;
import io.fdt.storage.local.os.Directory;
import java.util.List;

/**
 * One operand as it was found.
 *
 * @param directory the directory itself when it is one (null for the root above exports), else the
 *     one that holds it
 * @param name its name in {@code directory}; null for {@code directory} itself
 * @param arrival names beneath the destination, the last of them its own; empty for the contents of
 *     a directory
 */
record FoundOperand(
    Directory directory, FileName name, Attributes attributes, List<FileName> arrival)
    implements Arrived {

  @Override
  public boolean isDirectory() {
    return name == null;
  }

  boolean isContents() {
    return arrival.isEmpty();
  }

  /** The operand, or the first of the directories that its new name implies. */
  Root root() {
    return OperandArrivals.root(
        arrival, attributes.kind().orElseThrow(), attributes.mode(), attributes.modified());
  }
}
