package io.fdt.cli.option.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListFileTest {
  @Test
  void oneSourceALine() throws UsageException {
    assertThat(parse("/a\nb c\n\n# not me\n./#me\n d \nlast"))
        .containsExactly(
            source("/a"), source("b c"), source("./#me"), source(" d "), source("last"));
  }

  @Test
  void aSlashBetweenBlanksGivesAnotherName() throws UsageException {
    assertThat(parse("/a/b / c/d\nx y \t/  z w\n/ / r"))
        .containsExactly(renamed("/a/b", "c/d"), renamed("x y", "z w"), renamed("/", "r"));
  }

  @Test
  void aSlashWithoutBlanksOnBothSidesIsPartOfTheName() throws UsageException {
    assertThat(parse("a /b\na/ b\n/ b\na /"))
        .containsExactly(source("a /b"), source("a/ b"), source("/ b"), source("a /"));
  }

  @Test
  void aLineIsBytes() throws UsageException {
    byte[] content = {'a', (byte) 0xFF, '\r', 0x01, ' ', '/', ' ', (byte) 0xC3, '\n'};

    assertThat(operands(ListFile.parse("list", content, false)))
        .containsExactly(
            new Operand(
                BytePath.of(new byte[] {'a', (byte) 0xFF, '\r', 0x01}),
                Optional.of(BytePath.of(new byte[] {(byte) 0xC3}))));
  }

  @Test
  void linesMayEndAsOnWindows() throws UsageException {
    assertThat(parse("/a\r\n\r\n# not me\r\nb c / d\r\nlast\r"))
        .containsExactly(source("/a"), renamed("b c", "d"), source("last"));
    assertThat(operands(ListFile.parse("list", "a\r\0".getBytes(StandardCharsets.UTF_8), true)))
        .containsExactly(source("a\r"));
  }

  @Test
  void entriesMayEndWithNul() throws UsageException {
    byte[] content = "a\nb\0#c\0\0d / e\nf\0last".getBytes(StandardCharsets.UTF_8);

    assertThat(operands(ListFile.parse("list", content, true)))
        .containsExactly(source("a\nb"), source("#c"), renamed("d", "e\nf"), source("last"));
  }

  @Test
  void aBadEntryIsNamedByItsNumber() {
    byte[] content = "a\nb\0c / d / e\0".getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> ListFile.parse("list", content, true))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("list entry 2: ");
  }

  @Test
  void anEmptyListIsEmpty() throws UsageException {
    assertThat(parse("")).isEmpty();
    assertThat(parse("\n\n#\n")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a / b / c | more than one ' / '",
        "a / ../b  | name that leads elsewhere",
        "a / /     | a name is missing",
        "a / .     | a name is missing"
      })
  void saysWhichLineIsWrong(String line, String message) {
    assertThatThrownBy(() -> parse("fine\n" + line + "\n"))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("list line 2: ")
        .hasMessageContaining(message);
  }

  @Test
  void aNameThatIsMissingIsSaid() {
    assertThatThrownBy(() -> parse("a / ")).hasMessageContaining("line 1: a name is missing");
    assertThatThrownBy(() -> parse(" / b")).hasMessageContaining("line 1: a name is missing");
    assertThatThrownBy(() -> parse("a\0b")).hasMessageContaining("line 1: path with a NUL byte");
  }

  private static List<Operand> parse(String content) throws UsageException {
    return operands(ListFile.parse("list", content.getBytes(StandardCharsets.UTF_8), false));
  }

  private static List<Operand> operands(List<ListFile.Listed> listed) {
    return listed.stream().map(ListFile.Listed::operand).toList();
  }

  private static Operand source(String path) {
    return Operand.of(BytePath.of(path));
  }

  private static Operand renamed(String path, String target) {
    return new Operand(BytePath.of(path), Optional.of(BytePath.of(target)));
  }
}
