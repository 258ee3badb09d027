package io.fdt.style;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hook that {@code make hooks} installs for messages of commits. */
class HooksTest {
  private static final Path HOOK = Path.of("../scripts/hooks/commit-msg");

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "relay: a name is tried at all of its addresses\\n\\nOnly the first was. | ",
        "Merge branch 'x' | ",
        "relay: a name is tried at all of its addresses, one after another, for ever\\n"
            + "\\n"
            + "Why. | 75",
        "relay: names; limits\\n\\nWhy. | says two things",
        "relay names\\n\\nWhy. | begins with its area",
        "Relay: names\\n\\nWhy. | begins with its area",
        "relay: names\\n\\n# Please enter the message | says why is missing"
      })
  void saysWhatIsWrong(String message, String problem) throws Exception {
    Path file = directory.resolve("message");
    Files.writeString(file, message.replace("\\n", "\n") + "\n");

    Process hook =
        new ProcessBuilder("bash", HOOK.toString(), file.toString())
            .redirectErrorStream(true)
            .start();
    String out = new String(hook.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(hook.waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(hook.exitValue()).as(out).isEqualTo(problem == null ? 0 : 1);
    assertThat(out).contains(problem == null ? "" : problem);
  }
}
