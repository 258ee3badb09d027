package io.fdt.storage.local.source;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Changing;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.TimeSteps;
import java.util.function.Supplier;

/**
 * The change of one source file since the walk, and its treatment. Thread-safe: the first change is
 * kept.
 */
public final class SourceChange {
  private final Changing rule;
  private volatile String seen = "";

  /** Attributes at the first open; null before. */
  private volatile Attributes opened;

  SourceChange(Changing rule) {
    this.rule = rule;
  }

  /** Whether a changed file is copied. */
  boolean isAllowed() {
    return rule == Changing.COPY;
  }

  /** Whether a changed file is left out. */
  boolean isSkipped() {
    return rule == Changing.SKIP;
  }

  /** The change, with the path of the file; empty for none. */
  String text() {
    return seen;
  }

  /**
   * Compares the attributes right after an open with those of the walk. Some network file systems
   * round the time of a file that is not open: then the time at the first open counts.
   *
   * @param before seen by the walk
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

  /** Whether two observations differ only in the resolution of the time. */
  static boolean isSharper(Attributes before, Attributes now) {
    return now.size() == before.size()
        && !now.modified().equals(before.modified())
        && TimeSteps.between(now.modified(), before.modified()).isPresent();
  }

  /**
   * Compares two observations of the file.
   *
   * @param before seen by the walk
   * @throws FdtException SOURCE_CHANGED when they differ and the rule forbids a change; always when
   *     the file has become shorter
   */
  void check(Attributes before, Attributes now, Supplier<String> path) throws FdtException {
    String change = changeOf(opened == null ? before : opened, now);
    if (change == null) {
      return;
    }
    boolean hasAll = now.size() >= before.size();
    if (!isAllowed() || !hasAll) {
      String copy = Setting.CHANGING.with("copy");
      String help = hasAll ? ", or add " + copy + " to copy the bytes that it had at first" : "";
      throw failure(path.get(), change, help);
    }
    if (seen.isEmpty()) {
      seen =
          "'%s' changed while it was copied: %s; the copy has the first %d bytes"
              .formatted(path.get(), change, before.size());
    }
  }

  /** The difference between two observations of one file; null when they are equal. */
  public static String changeOf(Attributes before, Attributes now) {
    if (now.size() != before.size()) {
      return "its size went from " + before.size() + " to " + now.size() + " bytes";
    }
    return now.modified().equals(before.modified()) ? null : "it was written to";
  }

  /** The failure of a file that changed since the walk. */
  static FdtException failure(String path, String how) {
    return failure(path, how, "");
  }

  private static FdtException failure(String path, String how, String help) {
    return new FdtException(
        ErrorCode.SOURCE_CHANGED,
        "'" + path + "' changed during the transfer: " + how + "; run it again" + help);
  }
}
