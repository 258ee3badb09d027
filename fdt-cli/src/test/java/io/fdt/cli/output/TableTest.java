package io.fdt.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableTest {
  private final Table table = new Table().left("NAME").right("SIZE").left("STATE");

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    table.add("a", "9 B", "done").add("測定", "10.0 MiB", "");

    assertThat(table.lines(100))
        .containsExactly(
            "NAME      SIZE  STATE", //
            "a          9 B  done",
            "測定  10.0 MiB  -");
  }

  @Test
  void aTableWithoutRowsHasNoHeadings() {
    assertThat(table.lines(100)).isEmpty();
  }

  @Test
  void aLongTableHasItsHeadingsOnce() {
    table.add("a", "9 B", "done");
    assertThat(table.lines(100)).containsExactly("NAME  SIZE  STATE", "a      9 B  done");
    table.add("longer", "9 B", "done");
    assertThat(table.lines(100)).containsExactly("longer   9 B  done");
    table.add("b", "9 B", "done");
    assertThat(table.lines(100)).containsExactly("b        9 B  done");
  }

  @Test
  void columnsThatDoNotFitAreLeftOut() {
    table.add("abcdefgh", "9 B", "done");
    assertThat(table.lines(16)).containsExactly("NAME      SIZE", "abcdefgh   9 B");
    table.add("abcdefgh", "9 B", "done");
    assertThat(table.lines(4)).containsExactly("ab..");
  }

  @Test
  void aCellForgesNoLine() {
    table.add("a\nb", "9 B", "\u001b[2J");
    assertThat(table.lines(100).get(1)).isEqualTo("a\\nb   9 B  \\u001b[2J");
    assertThatThrownBy(() -> table.add("a")).isInstanceOf(IllegalArgumentException.class);
  }
}
