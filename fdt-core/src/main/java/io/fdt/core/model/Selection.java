package io.fdt.core.model;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import java.util.ArrayList;
import java.util.List;

/**
 * Selects the files beneath the sources. Immutable.
 *
 * <p>The first pattern that matches decides; names without a match are included. An excluded
 * directory is excluded with its contents. Sizes and times apply to files only, not to links and
 * directories.
 *
 * @param rules in their order
 * @param leastBytes smaller files are excluded
 * @param mostBytes larger files are excluded
 * @param notBefore files modified earlier are excluded; null for no bound
 * @param notAfter files modified later are excluded; null for no bound
 * @param maxDepth levels of directories beneath a source: 1 is the source's own files
 * @param oneFileSystem whether directories on other file systems than their source are left empty
 * @param ofEncodedNames whether the source's names are encoded: rules apply to the decoded ones
 */
public record Selection(
    List<Rule> rules,
    long leastBytes,
    long mostBytes,
    Timestamp notBefore,
    Timestamp notAfter,
    int maxDepth,
    boolean oneFileSystem,
    boolean ofEncodedNames) {

  /** Selects everything. */
  public static final Selection ALL =
      new Selection(List.of(), 0, Long.MAX_VALUE, null, null, Integer.MAX_VALUE, false);

  /** Most rules in one selection; each costs time for every name. */
  public static final int MAX_RULES = 1000;

  /**
   * Most bytes of all patterns together. Matching a name costs their product with the length of its
   * path, and a peer may choose both.
   */
  public static final int MAX_PATTERN_BYTES = 16 << 10;

  /**
   * One pattern.
   *
   * @param take whether matching names are included
   */
  public record Rule(NamePattern pattern, boolean take) {}

  /** A selection from names that are not encoded. */
  public Selection(
      List<Rule> rules,
      long leastBytes,
      long mostBytes,
      Timestamp notBefore,
      Timestamp notAfter,
      int maxDepth,
      boolean oneFileSystem) {
    this(rules, leastBytes, mostBytes, notBefore, notAfter, maxDepth, oneFileSystem, false);
  }

  /**
   * @throws IllegalArgumentException when a bound is out of its range
   */
  public Selection {
    rules = List.copyOf(rules);
    if (rules.size() > MAX_RULES) {
      throw new IllegalArgumentException(
          rules.size() + " patterns; at most " + MAX_RULES + " are allowed");
    }
    int bytes = rules.stream().mapToInt(rule -> rule.pattern().text().length()).sum();
    if (bytes > MAX_PATTERN_BYTES) {
      throw new IllegalArgumentException(
          "patterns of " + bytes + " bytes; at most " + MAX_PATTERN_BYTES + " are allowed");
    }
    if (leastBytes < 0 || mostBytes < 0) {
      throw new IllegalArgumentException("a size below 0");
    }
    if (maxDepth < 1) {
      throw new IllegalArgumentException("a depth below 1");
    }
  }

  /** A copy for encoded names. */
  public Selection withEncodedNames() {
    return new Selection(
        rules, leastBytes, mostBytes, notBefore, notAfter, maxDepth, oneFileSystem, true);
  }

  /** The characters of a source's name, as rules see it. */
  public int[] characters(FileName name) {
    FileName seen = ofEncodedNames ? EncodedName.decode(name).orElse(name) : name;
    return NamePattern.characters(seen.bytes());
  }

  /** Whether a source's name is encoded, if names are: otherwise it fails. */
  public boolean canDecode(FileName name) {
    return !ofEncodedNames || EncodedName.decode(name).isPresent();
  }

  /** The failure of a name that is not encoded. */
  public static FdtException notEncoded(FileName name) {
    return new FdtException(
        ErrorCode.BAD_NAME,
        "'%s' is no encoded name, and cannot be decoded; rename it, or use %s"
            .formatted(name, Setting.NAMES.with("keep")));
  }

  /** Whether names matter, so that a walk must remember them. */
  public boolean looksAtNames() {
    return !rules.isEmpty();
  }

  /**
   * Whether the rules select a name.
   *
   * @param path as {@link #characters}, from the directory that was named
   */
  public boolean takesName(List<int[]> path, boolean isDirectory) {
    for (Rule rule : rules) {
      if (rule.pattern().matches(path, isDirectory)) {
        return rule.take();
      }
    }
    return true;
  }

  /**
   * Whether the rules exclude a name.
   *
   * @param way the names from the directory that was named to the one that holds it
   */
  public boolean leavesOut(List<FileName> way, FileName name, boolean isDirectory) {
    if (!looksAtNames()) {
      return false;
    }
    List<int[]> path = new ArrayList<>(way.size() + 1);
    for (FileName step : way) {
      path.add(NamePattern.characters(step.bytes()));
    }
    path.add(NamePattern.characters(name.bytes()));
    return !takesName(path, isDirectory);
  }

  /** Whether size and time of a file are within the bounds. */
  public boolean takesFile(long size, Timestamp modified) {
    return size >= leastBytes
        && size <= mostBytes
        && (notBefore == null || modified.compareTo(notBefore) >= 0)
        && (notAfter == null || modified.compareTo(notAfter) <= 0);
  }
}
