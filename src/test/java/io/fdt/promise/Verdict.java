package io.fdt.promise;

import java.util.Locale;

/**
 * How one removal ended.
 *
 * @param kind whether a test noticed
 * @param promise the record
 * @param reason of the test's failure, or of a verdict that needs one
 */
record Verdict(Kind kind, Promise promise, String reason) {
  enum Kind {
    /** The test failed: it holds the promise. */
    KILLED,
    /** The test passed: nothing holds the promise. */
    SURVIVED,
    /** The record is wrong: its text, its test, or what it leaves does not compile. */
    BROKEN,
    /** This machine cannot run the test. */
    SKIPPED
  }

  /** Of the line that {@link OneTest} wrote. */
  static Verdict of(Promise promise, String result) {
    if (result.equals("passed")) {
      return new Verdict(Kind.SURVIVED, promise, "");
    }
    if (result.startsWith("skipped")) {
      return new Verdict(Kind.SKIPPED, promise, result);
    }
    if (result.contains("TimeoutException") && result.contains("timed out after")) {
      return new Verdict(Kind.BROKEN, promise, "no failure in time: " + result);
    }
    return new Verdict(result.startsWith("failed") ? Kind.KILLED : Kind.BROKEN, promise, result);
  }

  String line() {
    String shown = reason.length() > 200 ? reason.substring(0, 200) + "..." : reason;
    return kind.name().toLowerCase(Locale.ROOT)
        + "  "
        + promise.place()
        + "  "
        + promise.test()
        + (shown.isEmpty() ? "" : "  " + shown);
  }
}
