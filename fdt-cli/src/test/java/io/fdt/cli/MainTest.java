package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.output.Screen;
import io.fdt.cli.process.ProcessSurroundings;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.ExitHooks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private CommandContext context(OutputStream output) {
    return new CommandContext(
        new ProcessSurroundings(), new Screen(output, err, false), ExitHooks.OF_PROCESS);
  }

  @Test
  void helpGoesToStandardOutput() {
    assertThat(Main.run(List.of("--help"), context(out))).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("copy -r storage1:/run42 .", "help flags", "serve", "nettest", "Examples:")
        .endsWith("130 interrupted.\n");
    assertThat(err.size()).isZero();
  }

  @Test
  void helpNamesEachSubcommand() {
    Main.run(List.of("--help"), context(out));

    Main.run(List.of("help", "nothing"), context(out));
    String known = err.toString(StandardCharsets.UTF_8);
    List<String> names =
        List.of(
            known.replaceFirst("(?s).*there is help on ([a-z, ]*[a-z]).*", "$1").split(", ", -1));
    assertThat(names)
        .contains("copy", "plan", "worker")
        .allSatisfy(
            name ->
                assertThat(out.toString(StandardCharsets.UTF_8))
                    .containsPattern("[ :]" + name + "[ ,;\n]"));
  }

  @Test
  void helpBreaksNoLineWithinATimeOfDay() {
    for (String topic : List.of("copy", "serve")) {
      Main.run(List.of(topic, "--help-all"), context(out));
    }
    Main.run(List.of("help", "flags"), context(out));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("  09:00-18:00=100M,else=off\n", "  Mon-Fri 09:00-18:00=100M,else=1G.\n")
        .doesNotContainPattern("[0-9]:\n")
        .doesNotContainPattern("[0-9]-\n");
  }

  @Test
  void versionIsOneLine() {
    assertThat(Main.run(List.of("-V"), context(out))).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("fdt ").containsOnlyOnce("\n");
  }

  @Test
  void outputThatIsLostIsNoSuccess() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };

    assertThat(Main.run(List.of("-h"), context(full))).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("fdt: standard output cannot be written\n");
  }
}
