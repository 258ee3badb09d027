package io.fdt.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineTextTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "plain", "Größe \ud83d\udcbe 測定", "back\\slash"})
  void harmlessTextStays(String text) {
    assertThat(LineText.clean(text)).isEqualTo(text);
  }

  @Test
  void lineEndsAndTabsAreShown() {
    assertThat(LineText.clean("a\nINFO forged\r\tb")).isEqualTo("a\\nINFO forged\\r\\tb");
  }

  @Test
  void noControlCharacterReachesTheTerminal() {
    for (char c = 0; c < 0xA0; c++) {
      String line = LineText.clean("x" + c + "y");
      assertThat(line.chars().noneMatch(Character::isISOControl)).as("U+%04x", (int) c).isTrue();
    }
    assertThat(LineText.clean("\u001b[2J\u009b")).isEqualTo("\\u001b[2J\\u009b");
  }

  @Test
  void charactersThatReorderTheLineAreShown() {
    assertThat(LineText.clean("gpj\u202eexe")).isEqualTo("gpj\\u202eexe");
  }

  @Test
  void bytesThatAreNoTextAreShown() {
    assertThat(LineText.clean("a\udcff\ud83d\udcbe\ud83d")).isEqualTo("a\\xff\ud83d\udcbe\\ud83d");
  }
}
