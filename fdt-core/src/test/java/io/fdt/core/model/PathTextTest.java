package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Escaped text of paths, and back. */
class PathTextTest {
  @Test
  void anyBytesComeBack() {
    Random random = new Random(7);
    byte[] likely =
        "\\xnrtu0af\n\r\t\u0001\u202e\u00e9\ud83d\ude00".getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      for (int j = 0; j < bytes.length; j++) {
        bytes[j] =
            random.nextBoolean()
                ? likely[random.nextInt(likely.length)]
                : (byte) random.nextInt(256);
      }
      String escaped = PathText.escape(bytes);
      assertThat(PathText.unescape(escaped)).as(escaped).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\", "a\\", "\\q", "\\x", "\\x4", "\\xzz", "\\u12", "\\u123g", "\\x+1"})
  void whatIsNoEscapeStandsForItself(String text) {
    assertThat(PathText.unescape(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
  }
}
