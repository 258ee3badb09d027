package io.fdt.core.storage.operand;

import io.fdt.core.model.FileName;
import java.util.List;

/** An operand that was found. */
public interface Arrived {
  /**
   * Its names beneath the destination, the last of them its own; empty for the contents of a
   * directory.
   */
  List<FileName> arrival();

  boolean isDirectory();
}
