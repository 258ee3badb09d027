package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every subcommand as a process of the built jar: it starts, does what it is for, and ends with its
 * exit status. What it does in detail is tested in the tests' own JVM.
 */
class ProcessSmokeTest {
  @RegisterExtension final Lab lab = Lab.ofStarts();

  private RunningCommand server;

  @BeforeEach
  void serve() {
    Content.write(lab.directory("data/d").resolve("file"), 1000, 1);
    lab.directory("here");
    server = lab.serve("--export", "data:rw");
  }

  /** Each row: the words, with URL for the export, and a part of what is printed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "checksum URL/d/file | file",
        "cleanup here | 0 files, 0 B removed",
        "completion bash | complete",
        "copy URL/d/file here/ | done: 1 file, 1000 B in ",
        "copy -r data/d URL/pushed/ | done: 1 file, 1000 B in ",
        "doctor | this host",
        "du URL/d | 1",
        "ls URL/d | file",
        "mkdir URL/new | ''",
        "nettest --seconds 1 127.0.0.1:PORT | /s",
        "rename URL/d/file URL/d/other | ''",
        "rm URL/d/file | ''",
        "stat URL/d/file | size:     1000 (1000 B)",
        "token create someone | fdt_",
        "help copy | Usage: ",
        "-c 127.0.0.1 -p PORT -pull -d here /data/d/file | done: 1 file, 1000 B in ",
      })
  void itDoesWhatItIsFor(String line, String printed) {
    String port = Integer.toString(server.port());
    String[] words =
        line.replace("URL", "fdt://127.0.0.1:PORT/data").replace("PORT", port).split(" ");

    Outcome outcome = lab.runProcess(lab.root(), words).expect(0);

    assertThat(outcome.out()).containsIgnoringCase(printed);
    assertThat(outcome.problems()).isEmpty();
  }

  @Test
  void standardStreamsAreFiles() {
    String url = "fdt://127.0.0.1:" + server.port() + "/data/d/";

    lab.runScript(lab.root(), "\"$@\" copy " + url + "file - > here/file").expect(0);
    lab.runScript(lab.root(), "\"$@\" copy - " + url + "other < here/file").expect(0);

    Path file = lab.root().resolve("data/d/file");
    Content.assertSame(lab.root().resolve("here/file"), file);
    Content.assertSame(file.resolveSibling("other"), file);
  }

  @Test
  void aServerAndAClientTalk() {
    CommandProcess process = lab.serveProcess("--export", "data");
    String[] words = Lab.clientOf(process, "-r", "-pull", "-d", "here", "/data/d");

    lab.runProcess(lab.root(), words).expect(0);

    Path copy = lab.root().resolve("here/d");
    Tree.assertSame(copy, lab.root().resolve("data/d"));
    process.signal("TERM");
    assertThat(process.end().expect(0).out()).contains("READY port=");
  }

  @Test
  void whatMakesNoSenseIsTwo() {
    for (String line : List.of("frobnicate", "copy a b")) {
      assertThat(lab.runProcess(lab.root(), line.split(" ")).expect(2).problems()).hasSize(1);
    }
  }
}
