package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Pages;
import io.fdt.e2e.Programs;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command of the wheel, with Java from elsewhere; {@code make test-wheel} has one of its own.
 */
class WheelTest {
  private static final Path JAVA = Path.of(System.getProperty("java.home"));

  @TempDir private static Path environment;

  @RegisterExtension private final Lab lab = new Lab();
  private String command;

  @BeforeAll
  static void install() throws IOException {
    Programs.require("python3", "pip3");
    Shell.run(
        Pages.PROJECT,
        """
        cd '%1$s'
        wheel=$(python3 '%2$s/scripts/wheel.py' . '%3$s')
        python3 -m venv --without-pip .
        python3 -m pip --python bin/python install --quiet --no-index --no-deps "$wheel"
        """
            .formatted(
                environment, Pages.PROJECT, Path.of(System.getProperty("fdt.jar")).toRealPath()));
  }

  @BeforeEach
  void anOldJavaIsInTheEnvironment() throws IOException {
    command = environment.resolve("bin/fdt").toString();
    Path old = lab.directory("old");
    Shell.run(old, "mkdir bin; touch bin/java; chmod 755 bin/java");
    Files.writeString(old.resolve("release"), "JAVA_VERSION=\"1.8.0_392\"\n");
    lab.environment("JAVA_HOME", old.toString());
    lab.environment("PATH", old.toString());
  }

  @Test
  void becomesANewerJavaWithItsWordsInputAndSignals() throws IOException {
    lab.environment("PATH", JAVA.resolve("bin").toString());
    lab.environment("FDT_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 '-Dx=a *'");
    Path export = lab.directory("a b\n*");
    List<String> words =
        List.of("serve", "--bind", "127.0.0.1", "--port", "0", "d=" + export + ":rw");
    CommandProcess server = start(words.toArray(String[]::new));
    String url = "fdt://127.0.0.1:" + server.port() + "/d/version";

    assertThat(server.commandLine())
        .startsWith(JAVA.resolve("bin/java").toString(), "-XX:TieredStopAtLevel=1", "-Dx=a *")
        .endsWith(words.toArray(String[]::new));
    lab.startProgram(
            List.of("/bin/bash", "-c", "printf 3 | exec \"$@\"", "bash", command, "copy", "-", url))
        .end()
        .expect(0);
    assertThat(export.resolve("version")).hasContent("3");
    server.signal("TERM");
    server.end().expect(0);
  }

  @Test
  void withoutAJavaItSaysWhatToInstall() {
    Outcome outcome = start("--version").end().expect(1);

    assertThat(outcome.err())
        .isEqualTo(
            "fdt: no Java 17 or newer (JAVA_HOME has %s/bin/java, Java 8): install one, for example"
                    .formatted(lab.root().resolve("old"))
                + " with: pip install 'fdt-transfer[java]'\n");
  }

  private CommandProcess start(String... words) {
    List<String> line = new ArrayList<>(List.of(command));
    line.addAll(List.of(words));
    return lab.startProgram(line);
  }
}
