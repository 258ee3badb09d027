package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Changing;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.local.destination.TimeSteps;
import java.util.function.Supplier;

/**
 * What one file of a source has become since the walk, and whether that matters. Thread-safe: the
 * first change stays.
 */
public final class SourceChange {
  private final Changing rule;
  private volatile String seen = "";

  /** What the first handle said; null before. */
  private volatile Attributes opened;

  SourceChange(Changing rule) {
    this.rule = rule;
  }

  /** Whether a file is copied although it has changed. */
  boolean isAllowed() {
    return rule == Changing.COPY;
  }

  /** Whether one that has changed is left out. */
  boolean isSkipped() {
    return rule == Changing.SKIP;
  }

  /** How it has changed, with its path; empty when it has not. */
  String text() {
    return seen;
  }

  /**
   * Compares what a handle says, right after it was opened, with the walk. Some network file
   * systems round the time of a file that is not open: then the first handle's time counts from now
   * on.
   *
   * @param before what the walk saw
   * @throws FdtException as {@link #check}
   */
  void checkOpened(Attributes before, Attributes now, Supplier<String> path) throws FdtException {
    synchronized (this) {
      if (opened == null && isSharper(before, now)) {
        opened = now;
      }
    }
    check(before, now, path);
  }

  /** Whether a second look differs from the first one only in more digits of the time. */
  static boolean isSharper(Attributes before, Attributes now) {
    return now.size() == before.size()
        && !now.modified().equals(before.modified())
        && TimeSteps.between(now.modified(), before.modified()).isPresent();
  }

  /**
   * Compares two looks at the file.
   *
   * @param before what the walk saw
   * @throws FdtException SOURCE_CHANGED when they differ, and the rule does not allow that; always
   *     when the file has become shorter
   */
  void check(Attributes before, Attributes now, Supplier<String> path) throws FdtException {
    String change = changeOf(opened == null ? before : opened, now);
    if (change == null) {
      return;
    }
    boolean hasAll = now.size() >= before.size();
    if (!isAllowed() || !hasAll) {
      String help = hasAll ? ", or add --changing copy to take what it had at first" : "";
      throw failure(path.get(), change, help);
    }
    if (seen.isEmpty()) {
      seen =
          "'%s' changed while it was copied: %s; the copy has the first %d bytes"
              .formatted(path.get(), change, before.size());
    }
  }

  /**
   * What differs between two looks at one file, for people; null when nothing that matters does.
   */
  public static String changeOf(Attributes before, Attributes now) {
    if (now.size() != before.size()) {
      return "its size went from " + before.size() + " to " + now.size() + " bytes";
    }
    return now.modified().equals(before.modified()) ? null : "it was written to";
  }

  /** What a file fails with that is not what the walk saw. */
  static FdtException failure(String path, String how) {
    return failure(path, how, "");
  }

  private static FdtException failure(String path, String how, String help) {
    return new FdtException(
        ErrorCode.SOURCE_CHANGED,
        "'" + path + "' changed during the transfer: " + how + "; run it again" + help);
  }
}
