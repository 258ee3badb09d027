package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.ExplainRun;
import io.fdt.core.error.ErrorCode;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the command says of each code and each exit status. */
class ExplainCommandTest {
  @ParameterizedTest
  @EnumSource
  void everyCodeSaysWhatHappenedAndWhatToDo(ErrorCode code) throws UsageException {
    ErrorGuide guide = ErrorGuide.of(code);
    String text = explain(code.name());

    assertThat(guide.happened()).matches("[A-Z][^\n]{20,}[^.]\\.");
    assertThat(guide.remedy())
        .matches(
            "(Run|Read|Check|Give|Install|Get|Ask|Compare|Add|Look|Rename|Wait|Make|Remount|Raise)"
                + " [^\n]{10,}\\.");
    assertThat(guide.happened() + guide.remedy())
        .doesNotContainPattern("Exception|null|TODO|errno|%s");
    assertThat(text)
        .startsWith(code.name() + "\n  ")
        .contains("To do: ", "Exit status " + code.exitStatus() + "; a later attempt");
    assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    assertThat(explain(Integer.toString(code.exitStatus()))).contains("\n" + code.name() + "\n");
  }

  @Test
  void noTwoCodesSayTheSame() {
    assertThat(Stream.of(ErrorCode.values()).map(code -> ErrorGuide.of(code).happened()))
        .doesNotHaveDuplicates();
  }

  @Test
  void everyExitStatusIsExplained() throws UsageException {
    TreeSet<Integer> statuses =
        Stream.of(ErrorCode.values())
            .map(ErrorCode::exitStatus)
            .collect(Collectors.toCollection(TreeSet::new));
    statuses.add(0);

    for (int status : statuses) {
      assertThat(explain(Integer.toString(status))).startsWith("Exit status " + status + ": ");
    }
  }

  @Test
  void codesMayBeWrittenInSmallLettersWithDashes() throws UsageException {
    assertThat(explain("not-found")).isEqualTo(explain("NOT_FOUND"));
  }

  @Test
  void whatIsNoCodeIsAUsageErrorThatHelps() {
    assertThatThrownBy(() -> explain("NOT_FUOND"))
        .hasMessageContaining("'NOT_FUOND' is no code; did you mean NOT_FOUND?");
    assertThatThrownBy(() -> explain("what")).hasMessageContaining("the codes are INTERNAL, USAGE");
    assertThatThrownBy(() -> explain("7"))
        .hasMessageContaining("7 is no exit status of fdt: it ends with 0, 1, 2, 3, 4, 5, 6, 130");
    assertThatThrownBy(() -> explain("143")).hasMessageContaining("for the end by signal 15");
  }

  private static String explain(String word) throws UsageException {
    Command command = Subcommands.parse(List.of("explain", word), GivenSurroundings.NONE).command();
    return ((ExplainRun) command).text();
  }
}
