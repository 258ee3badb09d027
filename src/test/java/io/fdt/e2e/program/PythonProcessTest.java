package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The example that drives the command from Python. */
class PythonProcessTest {
  @RegisterExtension private final Lab lab = new Lab();

  @Test
  void theExampleCopiesAndTellsWhatFails() {
    Programs.require("python3");
    Path jar = Path.of(System.getProperty("fdt.jar")).toAbsolutePath().normalize();
    Path example = jar.getParent().getParent().getParent().resolve("examples/python/fdt.py");
    Path source = lab.directory("source");
    Shell.run(source, "mkdir d; printf 1 > a; printf 2 > d/b");
    RunningCommand server = lab.serve("--export", source.toString());
    String host = "fdt://127.0.0.1:" + server.port();
    String start =
        "export FDT_CACHE=off FDT_HOME='"
            + lab.home()
            + "' FDT_COMMAND='"
            + Path.of(System.getProperty("java.home"), "bin", "java")
            + " -XX:TieredStopAtLevel=1 -jar "
            + jar
            + "'; python3 "
            + example
            + " ";

    byte[] names = Shell.run(lab.root(), start + host + "/source/ copy");
    byte[] failed =
        Shell.run(lab.root(), "set +e; " + start + host + "/source/none copy; echo status $?");

    assertThat(new String(names, StandardCharsets.UTF_8)).endsWith("copy/a\ncopy/d/b\n");
    Tree.assertSame(lab.root().resolve("copy"), source);
    assertThat(new String(failed, StandardCharsets.UTF_8))
        .contains("NOT_FOUND: ")
        .endsWith("status 1\n");
  }
}
