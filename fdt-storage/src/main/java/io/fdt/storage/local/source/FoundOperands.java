package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.model.PathNames;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.os.Directory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of looking up operands: the found ones, and the failures.
 *
 * <p>Two operands may share a destination path only if both are directories; else the later one
 * fails. Not thread-safe.
 */
public final class FoundOperands {
  record Failure(String path, FdtException reason) {}

  private final SourcePaths paths;
  private final boolean recursive;
  private final List<FoundOperand> found = new ArrayList<>();
  private final List<Failure> failures = new ArrayList<>();
  private final List<String> specials = new ArrayList<>();
  private final Map<List<FileName>, EntryKind> arrivals = new HashMap<>();

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
                    "'%s' is a device, socket or FIFO, which is not copied; to copy its output: fdt copy - DEST < FILE"
                        .formatted(path))));
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
        throw directoryWithoutRecursion(operand.path().toString());
      }
      checkArrival(one, operand.path());
      found.add(one);
    } catch (FdtException e) {
      failures.add(new Failure(operand.path().toString(), e));
    }
  }

  /** The error of a directory, or a followed link to one, without {@code recursive}. */
  static FdtException directoryWithoutRecursion(String path) {
    return new FdtException(ErrorCode.WRONG_KIND, "'" + path + "' is a directory (add -r)");
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

  private void checkArrival(FoundOperand operand, BytePath path) throws FdtException {
    List<FileName> names = operand.arrival();
    for (int i = 1; i <= names.size(); i++) {
      EntryKind kind =
          i < names.size() ? EntryKind.DIRECTORY : operand.attributes().kind().orElseThrow();
      EntryKind other = arrivals.putIfAbsent(List.copyOf(names.subList(0, i)), kind);
      if (other != null && (other != EntryKind.DIRECTORY || kind != EntryKind.DIRECTORY)) {
        throw ofAnotherSource(path.toString());
      }
    }
  }

  /**
   * The error of an operand with the destination path of another source, unless both are
   * directories.
   */
  static FdtException ofAnotherSource(String path) {
    return new FdtException(
        ErrorCode.USAGE,
        "'" + path + "' would arrive under the name of another source; give it another name");
  }
}
