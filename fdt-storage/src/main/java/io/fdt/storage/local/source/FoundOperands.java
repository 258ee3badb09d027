package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.PathNames;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.operand.OperandArrivals;
import io.fdt.storage.local.os.Directory;
import java.util.ArrayList;
import java.util.List;

/** The result of looking up operands: the found ones, and the failures. Not thread-safe. */
public final class FoundOperands {
  record Failure(String path, FdtException reason) {}

  private final SourcePaths paths;
  private final boolean recursive;
  private final List<FoundOperand> found = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<String> specials = new ArrayList<>();
  private final OperandArrivals arrivals = new OperandArrivals();

  FoundOperands(SourcePaths paths, boolean recursive) {
    this.paths = paths;
    this.recursive = recursive;
  }

  List<FoundOperand> found() {
    return found;
  }

  List<Failure> failures() {
    return failures;
  }

  /** Paths of operands that are devices, sockets or FIFOs, besides others. */
  List<String> specials() {
    return specials;
  }

  /** Ends the search: if all operands are devices, sockets or FIFOs, they fail. */
  void end() {
    if (found.isEmpty()) {
      for (String path : specials) {
        failures.add(
            new Failure(
                path,
                new FdtException(
                    ErrorCode.WRONG_KIND,
                    "'%s' is a device, socket or FIFO, which is not copied; use %s for its output"
                        .formatted(path, Setting.INPUT))));
      }
      specials.clear();
    }
  }

  void add(Operand operand) {
    try {
      FoundOperand one = find(operand);
      if (one.attributes().kind().isEmpty()) {
        specials.add(operand.path().toString());
        return;
      }
      if (one.isDirectory() && !recursive) {
        throw OperandArrivals.directoryWithoutRecursion(operand.path().toString());
      }
      arrivals.add(operand.path(), one.arrival(), one.attributes().kind().get());
      found.add(one);
    } catch (FdtException e) {
      failures.add(new Failure(operand.path().toString(), e));
    }
  }

  private FoundOperand find(Operand operand) throws FdtException {
    PathNames path = paths.split(operand.path());
    List<FileName> arrival = operand.arrivalOf(path.last());
    Directory directory = paths.directory(path.directory());
    if (path.last() == null) {
      return ofDirectory(directory, arrival);
    }
    Attributes attributes = paths.get(directory, path.last());
    if (attributes.is(EntryKind.DIRECTORY)) {
      return ofDirectory(paths.child(directory, path.last()), arrival);
    }
    return new FoundOperand(directory, path.last(), attributes, arrival);
  }

  private static FoundOperand ofDirectory(Directory directory, List<FileName> arrival)
      throws FdtException {
    Attributes attributes = directory == null ? SourcePaths.ABOVE_EXPORTS : directory.current();
    return new FoundOperand(directory, null, attributes, arrival);
  }
}
