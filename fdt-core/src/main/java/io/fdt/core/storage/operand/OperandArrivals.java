package io.fdt.core.storage.operand;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * The destination paths of the operands of a source, whatever its storage. Two operands may share
 * one only if both are directories; else the later one fails. Not thread-safe.
 */
public final class OperandArrivals {
  /** The mode of a directory that exists only in the new name of an operand. */
  public static final int IMPLIED_MODE = 0755;

  private final Map<List<FileName>, EntryKind> kinds = new HashMap<>();

  /**
   * Adds an operand.
   *
   * @throws FdtException USAGE when another one has its destination path
   */
  public void add(BytePath operand, List<FileName> arrival, EntryKind kind) throws FdtException {
    for (int i = 1; i <= arrival.size(); i++) {
      EntryKind here = i < arrival.size() ? EntryKind.DIRECTORY : kind;
      EntryKind other = kinds.putIfAbsent(List.copyOf(arrival.subList(0, i)), here);
      if (other != null && (other != EntryKind.DIRECTORY || here != EntryKind.DIRECTORY)) {
        throw ofAnotherSource(operand.toString());
      }
    }
  }

  /** The error of a file or operand with the destination path of another source. */
  public static FdtException ofAnotherSource(String path) {
    return new FdtException(
        ErrorCode.USAGE,
        "'" + path + "' would arrive under the name of another source; give it another name");
  }

  /** The error of a directory, or a followed link to one, without {@code recursive}. */
  public static FdtException directoryWithoutRecursion(String path) {
    return new FdtException(
        ErrorCode.WRONG_KIND, "'%s' is a directory (add %s)".formatted(path, Setting.RECURSIVE));
  }

  /** The operand, or the first of the directories that its new name implies. */
  public static Root root(List<FileName> arrival, EntryKind kind, int mode, Timestamp modified) {
    return arrival.size() > 1
        ? new Root(arrival.get(0), EntryKind.DIRECTORY, IMPLIED_MODE, null)
        : new Root(arrival.isEmpty() ? null : arrival.get(0), kind, mode, modified);
  }

  /** The destination paths of the directories among the operands. */
  public static List<BytePath> ofDirectories(List<? extends Arrived> operands) {
    return operands.stream()
        .filter(Arrived::isDirectory)
        .map(operand -> pathOf(operand.arrival()))
        .toList();
  }

  /** The destination paths of the empty directories. If several share a path, all must be empty. */
  public static List<BytePath> ofEmpty(
      List<? extends Arrived> operands, List<? extends Arrived> empty) {
    List<Arrived> others = new ArrayList<>(operands);
    others.removeAll(Set.copyOf(empty));
    List<BytePath> paths = new ArrayList<>(ofDirectories(empty));
    paths.removeAll(Set.copyOf(ofDirectories(others)));
    return paths;
  }

  /** The path of these names. */
  public static BytePath pathOf(List<FileName> names) {
    BytePath path = BytePath.EMPTY;
    for (FileName name : names) {
      path = path.resolve(BytePath.of(name.bytes()));
    }
    return path;
  }

  /**
   * Whether no operand has a file for a destination path; false if in doubt.
   *
   * @param beneath whether a directory lacks a path within it
   */
  public static <A extends Arrived> boolean lack(
      List<A> operands, List<FileName> path, BiPredicate<A, List<FileName>> beneath) {
    boolean isBeneathOne = false;
    for (A operand : operands) {
      List<FileName> arrival = operand.arrival();
      int common = Math.min(arrival.size(), path.size());
      if (!arrival.subList(0, common).equals(path.subList(0, common))) {
        continue;
      }
      boolean isBeneath = path.size() > arrival.size() && operand.isDirectory();
      if (!isBeneath || !beneath.test(operand, path.subList(arrival.size(), path.size()))) {
        return false;
      }
      isBeneathOne = true;
    }
    return isBeneathOne;
  }
}
