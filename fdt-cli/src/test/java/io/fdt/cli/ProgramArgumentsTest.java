package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgramArgumentsTest {
  @Test
  void takesTheLastItemsAsTheyWereTyped() {
    byte[] commandLine =
        "java\0-jar\0fdt.jar\0ls\0\u00ff\0\0".getBytes(StandardCharsets.ISO_8859_1);

    assertThat(ProgramArguments.match(new String[] {"ls", "?", ""}, commandLine))
        .containsExactly("ls", "\udcff", "");
  }

  @Test
  void keepsWhatItWasGivenWhenTheItemsAreOthers() {
    byte[] commandLine = "java\0@options\0x\0".getBytes(StandardCharsets.ISO_8859_1);

    assertThat(ProgramArguments.match(new String[] {"ls", "\ufffd"}, commandLine))
        .containsExactly("ls", "\ufffd");
  }

  @Test
  void keepsWhatItWasGivenWhenThereAreTooFewItems() {
    byte[] commandLine = "java\0x\0".getBytes(StandardCharsets.ISO_8859_1);

    assertThat(ProgramArguments.match(new String[] {"java", "x"}, commandLine))
        .containsExactly("java", "x");
    assertThat(ProgramArguments.match(new String[] {"x"}, new byte[0])).containsExactly("x");
  }
}
