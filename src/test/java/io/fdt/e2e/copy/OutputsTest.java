package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outputs of a command go where a shell would write them. */
class OutputsTest {
  private static final Path STANDARD_OUTPUT = Path.of("/dev/stdout");

  @RegisterExtension private final Lab lab = new Lab();

  @Test
  void reportsAndManifestsGoToStandardOutputAndToOtherPrograms() throws Exception {
    Path source = lab.directory("source");
    Shell.run(source, "printf 1 > one; printf 2 > two");
    Path target = lab.directory("target");
    RunningCommand server = lab.serve("--export", target + ":rw");
    Path before = Files.readSymbolicLink(STANDARD_OUTPUT);
    String copy = "copy -r --quiet %s/ fdt://127.0.0.1:%d/target/".formatted(source, server.port());

    Outcome outcome =
        lab.runScript(
                lab.root(),
                """
                "$@" COPY --report /dev/stdout --manifest >(cat > sums) || exit
                "$@" COPY --report /dev/fd/3 --manifest /dev/null 3> opened || exit
                "$@" COPY --report /dev/stdout > redirected || exit
                "$@" copy -v -r source/ fdt://127.0.0.1:PORT/target/ --report - > dash
                """
                    .replace("PORT", "" + server.port())
                    .replace("COPY", copy))
            .expect(0);

    assertThat(outcome.out()).startsWith("{\"start\":").contains("/source/one\"");
    Path sums = lab.root().resolve("sums");
    await().atMost(Duration.ofSeconds(20)).until(() -> Files.readString(sums).lines().count() == 2);
    assertThat(sums).content().contains("  one\n");
    for (String name : new String[] {"opened", "redirected", "dash"}) {
      assertThat(lab.root().resolve(name)).content().startsWith("{\"start\":").endsWith("}\n");
    }
    assertThat(lab.root().resolve("dash")).content().doesNotContain("done:");
    assertThat(outcome.err()).contains("unchanged");
    assertThat(lab.root().resolve("-")).doesNotExist();
    for (String line : List.of(copy + " --manifest - --json", copy + " --report - --json")) {
      assertThat(lab.run(lab.root(), line.replace("--quiet ", "").split(" ")).expect(2).out())
          .contains("-: standard output has the events of --json already; name a file");
    }
    assertThat(Files.readSymbolicLink(STANDARD_OUTPUT)).isEqualTo(before);
    assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
  }
}
