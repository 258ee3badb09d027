package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Files that options name, and directories that are deep. */
class FileNamesTest {
  @RegisterExtension private final Lab lab = Lab.ofProcesses();

  /** In the POSIX locale Java has no letters but those of ASCII, and replaces them. */
  @Test
  void filesThatOptionsNameMayHaveAnyBytesInAnyLocale() {
    Shell.run(lab.root(), "mkdir source copied; echo x > source/file");
    RunningCommand server = lab.serve("--export", "source");
    String script =
        """
        export LC_ALL=C
        "$@" copy fdt://127.0.0.1:%d/source/file copied/ --report $'\\xc3\\xa9.json' --manifest "$PWD/"$'\\xff.sums'
        printf 'source/file\\n' > $'l\\xc3\\xa9.txt'
        "$@" copy -r --exclude-from $'l\\xc3\\xa9.txt' fdt://127.0.0.1:%d/source copied/
        """
            .formatted(server.port(), server.port());
    lab.runScript(lab.root(), script).expect(0);
    assertThat(
            new String(
                    Shell.run(lab.root(), "ls *.json *.sums | od -An -tx1"),
                    StandardCharsets.US_ASCII)
                .strip())
        .isEqualTo("c3 a9 2e 6a 73 6f 6e 0a ff 2e 73 75 6d 73 0a");
  }

  @Test
  void aDeepTreeArrivesWithFewDescriptors() {
    Programs.require("prlimit");
    Shell.run(
        lab.directory("source"),
        "d=.; for i in {1..40}; do d=$d/d$i; mkdir $d; echo $i > $d/file; done");
    RunningCommand server =
        lab.serve("--export", "source", "--export", "copied=" + lab.directory("copied") + ":rw");
    String address = "fdt://127.0.0.1:" + server.port();
    List<String> few = List.of("prlimit", "--nofile=64");
    lab.startUnder(few, "copy", "-r", "source/", address + "/copied/").end().expect(0);
    lab.startUnder(few, "copy", "-r", address + "/source/", "pulled/").end().expect(0);
    Shell.run(lab.root(), "diff -r source copied; diff -r source pulled");
  }
}
