package io.fdt.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void whatIsReadIsWrittenTheSame() throws Exception {
    String text =
        "{\"a\":[1,-9223372036854775808,2.5,\"x\\\"\\n"
            + "\u00e9\"],\"b\":{\"c\":null,\"d\":true},\"e\":[]}";
    assertThat(Json.text(Json.parseObject(text))).isEqualTo(text);
  }

  @Test
  void wholeDoublesAreWrittenAsWholeNumbers() {
    assertThat(Json.text(List.of(3.0, 0.5))).isEqualTo("[3,0.5]");
  }

  /** A path is an Iterable, whose last element is itself. */
  @Test
  void aPathIsWrittenAsAString() {
    assertThat(Json.text(List.of(Path.of("/a/b"), Path.of("c")))).isEqualTo("[\"/a/b\",\"c\"]");
  }

  @Test
  void doublesThatNoLongHoldsKeepTheirValue() throws Exception {
    for (double large : List.of(1e19, -1e300, 0x1p63)) {
      assertThat(Json.parse(Json.text(large))).isEqualTo(large);
    }
    assertThatThrownBy(() -> Json.parse("[1e400]"))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("out of range");
  }

  @Test
  void whatIsNotOneValueIsRefused() {
    for (String bad :
        List.of(
            "", "{", "[1", "{} {}", "nil", "{\"a\":1,\"a\":2}", "[".repeat(33), "1e999999999x")) {
      assertThatThrownBy(() -> Json.parse(bad)).as(bad).isInstanceOf(JsonException.class);
    }
    assertThatThrownBy(() -> Json.parseObject("[]")).hasMessage("a JSON object is needed");
    assertThatThrownBy(() -> Json.parse("99999999999999999999"))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("out of range");
  }
}
