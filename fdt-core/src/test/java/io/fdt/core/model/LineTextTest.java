package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
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

  @Test
  void aValueOfALogMessageIsOneWordOrQuoted() {
    assertThat(message("path={} files={} to={}:{}", "/größe,測定", 3, "::1", 5))
        .isEqualTo("path=/größe,測定 files=3 to=::1:5");
    assertThat(message("notice {}", "two words")).isEqualTo("notice two words");
    assertThat(message("reason={} more={}", "a file is missing", 0))
        .isEqualTo("reason=\"a file is missing\" more=0");
    assertThat(message("export={}", "")).isEqualTo("export=\"\"");
    assertThat(message("reason={}", (Object) null)).isEqualTo("reason=null");
    assertThat(LineText.message("nothing={}", null)).isEqualTo("nothing={}");
  }

  @Test
  void noTextForgesAValueOfALogMessage() {
    assertThat(message("path={}", "/x result=done")).isEqualTo("path=\"/x result=done\"");
    assertThat(message("path={}", "x\" token=\"root")).isEqualTo("path=\"x\\\" token=\\\"root\"");
    assertThat(message("path={}", "a\\")).isEqualTo("path=\"a\\\\\"");
    assertThat(message("path={}", "a\u00a0b")).isEqualTo("path=\"a\u00a0b\"");
    assertThat(message("path={} token={}", "{}", "alice")).isEqualTo("path={} token=alice");
  }

  private static String message(String pattern, Object... arguments) {
    return LineText.message(pattern, arguments);
  }

  @Test
  void aLineOfALogIsOneLine() {
    assertThat(LineText.logged(Instant.ofEpochMilli(1), "INFO", "peer=\u001b[2J\nx", ": a\rb"))
        .isEqualTo("1970-01-01T00:00:00.001Z INFO  peer=\\u001b[2J\\nx: a\\rb");
  }
}
