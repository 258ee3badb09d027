package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.operand.OperandArrivals;
import io.fdt.storage.local.os.Directory;
import java.util.List;

/**
 * Decides whether the source lacks the file of a destination path; in doubt it does not.
 *
 * <p>Files excluded by the selection count as present. Confined to one thread.
 */
final class SourceWitness {
  private final SourcePaths paths;
  private final boolean oneFileSystem;
  private final List<FoundOperand> operands;

  /** The directory of the last query, likely also that of the next. */
  private FoundOperand lastOperand;

  private List<FileName> lastWay = List.of();
  private Directory lastDirectory;

  SourceWitness(SourcePaths paths, boolean oneFileSystem, List<FoundOperand> operands) {
    this.paths = paths;
    this.oneFileSystem = oneFileSystem;
    this.operands = operands;
  }

  /** Whether the source has nothing for this path. */
  boolean lacks(List<FileName> path) {
    return OperandArrivals.lack(operands, path, this::lacksBeneath);
  }

  private boolean lacksBeneath(FoundOperand operand, List<FileName> path) {
    try {
      Directory holder = directory(operand, path.subList(0, path.size() - 1));
      FileName name = path.get(path.size() - 1);
      if (holder == null) {
        return !paths.exportNames().contains(name);
      }
      Directory start = operand.directory();
      boolean crosses = start != null && holder.firstSeen().device() != start.firstSeen().device();
      return !(crosses && oneFileSystem) && holder.find(name) == null;
    } catch (FdtException e) {
      return e.code() == ErrorCode.NOT_FOUND;
    }
  }

  private Directory directory(FoundOperand operand, List<FileName> way) throws FdtException {
    if (operand.equals(lastOperand) && way.equals(lastWay)) {
      return lastDirectory;
    }
    Directory directory = operand.directory();
    for (FileName name : way) {
      directory = paths.child(directory, name);
    }
    lastOperand = operand;
    lastWay = List.copyOf(way);
    lastDirectory = directory;
    return directory;
  }
}
