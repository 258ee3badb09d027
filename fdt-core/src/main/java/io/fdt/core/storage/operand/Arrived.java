package io.fdt.core.storage.operand;

import io.fdt.core.model.FileName;
import java.util.List;

/** An operand that was found. */
public interface Arrived {
  /**
   * The names of the operand beneath the destination, the last one its own; empty for the contents
   * of a directory.
   */
  List<FileName> arrival();

  boolean isDirectory();
}
