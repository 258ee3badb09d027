package io.fdt.core.tuning;

import java.util.List;

/**
 * The result of one check of a host. Immutable.
 *
 * @param grade of the result
 * @param subject of the check, one or two words
 * @param text the finding and its meaning
 * @param lines for the sysctl.conf of the host; may be empty
 */
public record Finding(Grade grade, String subject, String text, List<String> lines) {
  /** The grade of a finding. */
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

    /** The grade for display. */
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
