package io.fdt.storage.local.source;

import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.storage.Attributes;
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
    Directory directory, FileName name, Attributes attributes, List<FileName> arrival) {

  boolean isDirectory() {
    return name == null;
  }

  boolean isContents() {
    return arrival.isEmpty();
  }

  /** The operand, or the first of the directories that its new name implies. */
  Root root() {
    if (arrival.size() > 1) {
      return new Root(arrival.get(0), EntryKind.DIRECTORY, TreeWalk.IMPLIED_MODE, null);
    }
    return new Root(
        isContents() ? null : arrival.get(0),
        attributes.kind().orElseThrow(),
        attributes.mode(),
        attributes.modified());
  }
}
