package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person sees and types at a terminal, and what becomes of output that nobody reads. */
class TerminalTest {
  private static final String QUESTION = "(yes/no/fingerprint)?";

  /** Runs the client at a terminal whose keyboard is file descriptor 3. */
  private static final String AT_TERMINAL =
      """
      export TERM=xterm SHELL=/bin/sh COMMAND="$*"; mkfifo keys; exec 4>&1
      (script -qefc "echo \\$\\$ > pid; exec $COMMAND %s" screen < keys > /dev/null) &
      exec 3> keys
      await() { for i in $(seq 300); do grep -qF "$1" screen && return; sleep 0.1; done; exit 99; }
      await '%s'
      %s
      wait $!
      """;

  @RegisterExtension final Lab lab = new Lab();

  private String copy;
  private String nettest;

  @BeforeEach
  void serve() throws IOException {
    Programs.require("script");
    Content.write(lab.directory("data").resolve("file"), 1000, 1);
    RunningCommand server = lab.serve("--export", "data");
    // Another user of this machine, who has never met the server.
    Path stranger = lab.directory("stranger");
    Files.copy(lab.root().resolve("home/token"), stranger.resolve("token-of-alice"));
    lab.environment("FDT_HOME", stranger.toString());
    String token = "--token-file " + stranger.resolve("token-of-alice");
    copy = "copy %s fdt://127.0.0.1:%d/data/file copied".formatted(token, server.port());
    nettest = "nettest %s 127.0.0.1:%d".formatted(token, server.port());
  }

  @ParameterizedTest
  @ValueSource(strings = {"printf '\\003' >&3", "kill -INT $(cat pid)", "kill -TERM $(cat pid)"})
  void theFirstContactCanBeInterrupted(String interrupt) throws IOException {
    for (String words : new String[] {copy, nettest}) {
      Outcome outcome = atTerminal(words, interrupt);

      assertThat(outcome.status()).as("%s", screen()).isIn(128 + 2, 128 + 15);
      assertThat(screen()).contains("interrupted");
      assertThat(lab.root().resolve("copied")).doesNotExist();
      assertThat(lab.root().resolve("stranger/known_hosts")).doesNotExist();
      Shell.run(lab.root(), "rm keys screen pid");
    }
  }

  @Test
  void whatIsNeitherYesNorNoIsAskedAgain() throws IOException {
    String again = "Please type yes, no or the fingerprint:";

    atTerminal(
            copy,
            """
            printf 'y\\n' >&3
            await '%s'
            printf 'yes\\n' >&3
            """
                .formatted(again))
        .expect(0);

    assertThat(screen()).contains("Unknown server 127.0.0.1:", "SHA256:", again, "done: 1 file");
    assertThat(lab.root().resolve("copied")).exists();
    assertThat(lab.root().resolve("stranger/known_hosts")).exists();
  }

  @Test
  void noIsARefusalThatSaysWhatToDo() throws IOException {
    atTerminal(copy, "printf 'no\\n' >&3").expect(4);

    assertThat(screen())
        .contains(
            "fdt: Unknown server ", "It presents SHA256:", "To trust it now, add --accept-new")
        .contains(" add --fingerprint SHA256:... or use fdt login 127.0.0.1:");
  }

  @Test
  void aReaderThatHasEnoughIsNoProblem() {
    // More than a pipe takes.
    Shell.run(lab.directory("data"), "seq 4000 | sed s/^/$(printf %0120d 0)/ | xargs touch");
    String server = copy.replaceAll(".*(fdt://[^/]*)/.*", "$1");

    Outcome outcome =
        lab.runScript(
            lab.root(),
            "export FDT_HOME=home; \"$@\" ls -R %s/data | head -n 1; exit ${PIPESTATUS[1]}"
                .formatted(server));

    outcome.expect(0);
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out().lines()).hasSize(1);
    Outcome full = lab.runScript(lab.root(), "\"$@\" --help > /dev/full").expect(1);
    assertThat(full.problems()).containsExactly("fdt: standard output cannot be written");
  }

  /** A connection that breaks, or Ctrl-D. */
  @Test
  void theEndOfTheInputIsNoYes() throws IOException {
    String sync =
        copy.replaceFirst("^copy", "sync --accept-new").replace("/file copied", "/ mirror");

    atTerminal(sync, "Do this (yes/no)?", "printf '\\004' >&3").expect(0);

    assertThat(screen()).contains("nothing was changed");
    assertThat(lab.root().resolve("mirror")).doesNotExist();
  }

  @Test
  void syncShowsWhatItWouldDoAndAsks() throws IOException {
    Path copied = lab.directory("mirror");
    Files.writeString(copied.resolve("old"), "x");
    String sync =
        copy.replaceFirst("^copy", "sync --accept-new").replace("/file copied", "/ mirror");

    atTerminal(sync, "Do this (yes/no)?", "printf 'no\\n' >&3").expect(0);

    assertThat(screen())
        .contains("1 would be deleted", "-v names what would be copied", "nothing was changed")
        .doesNotContain("would delete", "would copy file");
    assertThat(copied.resolve("old")).exists();
    assertThat(copied.resolve("file")).doesNotExist();
    Shell.run(lab.root(), "rm keys screen pid");

    atTerminal(sync, "Do this (yes/no)?", "printf 'yes\\n' >&3").expect(0);

    assertThat(copied.resolve("old")).doesNotExist();
    assertThat(copied.resolve("file")).exists();
    Shell.run(lab.root(), "rm keys screen pid");

    atTerminal(sync, "nothing would change", "").expect(0);

    assertThat(screen()).contains("1 unchanged").doesNotContain("Do this");
    Shell.run(lab.root(), "rm keys screen pid; chmod 640 mirror/file");

    atTerminal(sync, "Do this (yes/no)?", "printf 'yes\\n' >&3").expect(0);

    assertThat(screen()).contains("change mode, owner or time of 1 entry");
    assertThat(Files.getPosixFilePermissions(copied.resolve("file")))
        .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
  }

  @Test
  void theEndOfInputIsNoYes() throws IOException {
    Path copied = lab.directory("mirror");
    Files.writeString(copied.resolve("old"), "x");
    String sync =
        copy.replaceFirst("^copy", "sync --accept-new").replace("/file copied", "/ mirror");

    atTerminal(sync, "Do this (yes/no)?", "printf '\\004' >&3").expect(0);

    assertThat(screen()).contains("nothing was changed");
    assertThat(copied.resolve("old")).exists();
    assertThat(copied.resolve("file")).doesNotExist();
  }

  private Outcome atTerminal(String words, String then) {
    return atTerminal(words, QUESTION, then);
  }

  private Outcome atTerminal(String words, String question, String then) {
    return lab.runScript(lab.root(), AT_TERMINAL.formatted(words, question, then));
  }

  /** The screen, with lines whole that were broken between words. */
  private String screen() throws IOException {
    return Files.readString(lab.root().resolve("screen"), StandardCharsets.UTF_8)
        .replaceAll("\\R  (?! )", " ");
  }
}
