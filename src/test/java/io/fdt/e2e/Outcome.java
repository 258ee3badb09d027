package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

/**
 * How a process ended.
 *
 * @param out its standard output
 * @param err its standard error
 * @param elapsed from its start until its end was seen
 */
public record Outcome(int status, String out, String err, Duration elapsed) {
  /** Fails unless this is the exit status. */
  public Outcome expect(int expected) {
    assertThat(status).as("exit status; out: %s; err: %s", out, err).isEqualTo(expected);
    return this;
  }

  /** The lines of standard error that tell of a problem. */
  public List<String> problems() {
    return err.lines().filter(line -> line.startsWith("fdt: ")).toList();
  }

  /** The last line of standard output. */
  public String summary() {
    return out.lines()
        .filter(line -> line.startsWith("dry run: "))
        .findFirst()
        .or(() -> out.lines().reduce((first, second) -> second))
        .orElse("");
  }
}
