package io.fdt.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.json.Json;
import io.fdt.json.JsonException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnixLinesTest {
  private static List<String> lines(String json) throws JsonException {
    return UnixLines.of(Json.parseObject(json));
  }

  @Test
  void anObjectIsOneLineInTheOrderOfItsNames() throws JsonException {
    assertThat(lines("{\"b\":2,\"a\":\"x\",\"c\":true,\"d\":null}"))
        .containsExactly("x\t2\ttrue\t");
  }

  @Test
  void objectsOfAListHaveTheSameColumns() throws JsonException {
    assertThat(
            lines(
                "{\"tasks\":[{\"task_id\":\"1\",\"state\":\"active\"},{\"task_id\":\"2\"}],"
                    + "\"next_cursor\":\"c\"}"))
        .containsExactly("c", "TASKS\tactive\t1", "TASKS\t\t2");
  }

  @Test
  void whatIsWithinFollowsOnLinesOfItsOwn() throws JsonException {
    assertThat(lines("{\"id\":1,\"paths\":[\"/a\",\"/b\"],\"options\":{\"verify\":true}}"))
        .containsExactly("1", "OPTIONS\ttrue", "PATHS\t/a\t/b");
    assertThat(lines("{\"empty\":[],\"none\":{}}")).isEmpty();
  }

  /** A name of a file does not become two columns, or two lines. */
  @Test
  void valuesHaveNoTabsAndNoEndsOfLines() throws JsonException {
    assertThat(lines("{\"name\":\"a\\tb\\nc\\u001b[2J\"}"))
        .containsExactly("a\\u0009b\\u000ac\\u001b[2J");
  }

  @Test
  void aChosenValueIsALine() throws JsonException {
    assertThat(UnixLines.of("x")).containsExactly("x");
    assertThat(UnixLines.of(Arrays.asList("x", null, 3L))).containsExactly("x\t\t3");
    assertThat(UnixLines.of(null)).containsExactly("");
  }
}
