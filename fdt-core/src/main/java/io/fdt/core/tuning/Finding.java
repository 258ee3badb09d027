package io.fdt.core.tuning;

import java.util.List;

/**
 * One thing that was looked at on a host. Immutable.
 *
 * @param grade how good it is
 * @param subject what was looked at, in a word or two
 * @param text what was found, and what it means
 * @param lines what a sysctl.conf of the host should hold; may be empty
 */
public record Finding(Grade grade, String subject, String text, List<String> lines) {
  /** How good something is. */
  public enum Grade {
    OK("ok"),
    /** Transfers work, and could be faster. */
    BETTER("could be better"),
    /** Keeps transfers from working. */
    PROBLEM("problem");

    private final String text;

    Grade(String text) {
      this.text = text;
    }

    /** For people. */
    public String text() {
      return text;
    }
  }

  public Finding {
    lines = List.copyOf(lines);
  }

  static Finding ok(String subject, String text) {
    return new Finding(Grade.OK, subject, text, List.of());
  }

  static Finding better(String subject, String text, String... lines) {
    return new Finding(Grade.BETTER, subject, text, List.of(lines));
  }

  static Finding problem(String subject, String text) {
    return new Finding(Grade.PROBLEM, subject, text, List.of());
  }
}
