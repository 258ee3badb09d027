package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The page of a monitor in a real terminal, and the terminal after it. */
class MonitorTerminalTest {
  private static final String ENTER = "\u001b[?1049h";
  private static final String EXIT = "\u001b[?1049l";
  private static final String KEYS = ": end the transfer";

  /**
   * Runs the client at a terminal whose keyboard is file descriptor 3. The words go through a file,
   * because the shell of the terminal splits them again.
   */
  private static final String AT_TERMINAL =
      """
      export TERM=%s LANG=C.UTF-8 SHELL=/bin/sh; mkfifo keys
      echo "trap : INT; tty > tty; stty -g > before; sh -c 'echo \\$\\$ > pid; exec $* %s'; echo \\$? > status; stty -g > after" > run
      (script -qefc "sh run" screen < keys > /dev/null) &
      exec 3> keys
      await() { for i in $(seq 300); do grep -qF "$1" screen && return; sleep 0.1; done; exit 99; }
      %s
      wait $!; exit $(cat status)
      """;

  @RegisterExtension final Lab lab = Lab.ofProcesses();
  private String source;

  @BeforeEach
  void serve() {
    Programs.require("script");
    lab.leavesUnfinishedFiles();
    Content.write(lab.directory("data").resolve("file"), 8 << 20, 1);
    source = "fdt://127.0.0.1:" + lab.serve("--export", "data").port() + "/data/file";
  }

  private Outcome atTerminal(String type, String then) {
    String words = "copy --monitor --limit 8Mbit/s " + source + " copied";
    return lab.runScript(lab.root(), AT_TERMINAL.formatted(type, words, then));
  }

  private String screen() throws IOException {
    return Files.readString(lab.root().resolve("screen"), StandardCharsets.UTF_8);
  }

  private void assertRestored() throws IOException {
    Path before = lab.root().resolve("before");
    assertThat(lab.root().resolve("after")).hasSameTextualContentAs(before);
    assertThat(screen()).containsOnlyOnce(ENTER).containsOnlyOnce(EXIT);
    assertThat(screen().indexOf(ENTER)).isLessThan(screen().indexOf(KEYS));
  }

  @Test
  void thePageFitsTheWindowAndQEndsTheTransfer() throws IOException {
    Outcome outcome =
        atTerminal(
            "xterm-256color",
            """
            await 'receiver'
            await '%s'
            stty -F $(cat tty) cols 1 rows 1
            await '.'
            stty -F $(cat tty) cols 30 rows 5
            await '..'
            printf q >&3
            await '(y/n)'
            printf n >&3
            printf q >&3
            printf y >&3
            """
                .formatted(KEYS));

    assertThat(outcome.status()).as("%s", screen()).isEqualTo(130);
    assertRestored();
    String page = screen().substring(screen().indexOf(ENTER), screen().indexOf(EXIT));
    assertThat(page).contains("data/file", "limited by", "processor", "stream");
    assertThat(screen().substring(screen().indexOf(EXIT)))
        .contains("fdt: ", "run the same command again");
    assertThat(lab.root().resolve("copied")).doesNotExist();
  }

  @Test
  void aSignalRestoresTheTerminalBeforeItIsTold() throws IOException {
    Outcome outcome = atTerminal("xterm", "await '%s'; printf '\\003' >&3".formatted(KEYS));

    assertThat(outcome.status()).as("%s", screen()).isEqualTo(130);
    assertRestored();
    assertThat(screen().substring(screen().indexOf(EXIT))).contains("interrupted");
    assertThat(screen().substring(0, screen().indexOf(EXIT))).doesNotContain("interrupted");
  }

  @Test
  void aTerminalWithoutACursorHasLines() throws IOException {
    Outcome outcome =
        atTerminal(
            "dumb", "await 'lines in place of a page'; await ' streams'; kill -INT $(cat pid)");

    assertThat(outcome.status()).as("%s", screen()).isEqualTo(130);
    assertThat(screen()).contains("--monitor needs a terminal").doesNotContain("\u001b");
  }

  /** A start is quick without both: see docs/decisions/starting.md. */
  @Test
  void aPlainCopyLoadsNeitherAMonitorNorTheEqualityThatJavaMakesForRecords() throws IOException {
    Path classes = lab.root().resolve("classes");
    Outcome outcome =
        lab.runJava(
            List.of("-Xlog:class+load:file=" + classes, "-Dfdt.replaced=true"),
            List.of("-jar", System.getProperty("fdt.jar"), "copy", source, "copied"));

    outcome.expect(0);
    assertThat(Files.readString(classes))
        .contains("io.fdt.cli.run.copy.CopyRun")
        .doesNotContain("org.jline.", "io.fdt.cli.monitor.", "io.fdt.core.engine.EndMeter")
        .doesNotContain("java.lang.runtime.ObjectMethods");
  }
}
