package io.fdt.cli.option.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.command.GivenSurroundings;
import io.fdt.cli.command.Subcommands;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.run.copy.Copier;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.SyncRule;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines in the spelling of other tools, and the same in ours. */
class ForeignOptionsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-a                        | -r",
        "--archive -r              | -r",
        "-r -a                     | --recursive",
        "-av                       | -r -v",
        "-avzP                     | -r -v --compress auto",
        "-avvn                     | -r -vv --dry-run",
        "-rtuh --progress --partial | -r --update",
        "-aHAXx                    | -r --hard-links --acls --xattrs --one-file-system",
        "-acq                      | -r --sync checksum --quiet",
        "-az --delete-after        | -r --compress auto --delete",
        "-u                        | --update",
        "-L                        | --links follow",
        "--size-only               | --sync size",
        "--sync-level checksum     | --sync checksum",
        "--no-verify-checksum      | --checksum none",
        "--compress-level=9        | --compress zstd:9",
        "--compress-choice lz4     | --compress lz4",
        "--bwlimit 0               | --limit off",
        "--bwlimit 1000            | --limit 1000K",
        "--bwlimit=1.5m            | --limit 1.5M",
        "--stats --numeric-ids -S --sync mtime | --sync mtime",
      })
  void meansTheSame(String habit, String ours) throws UsageException {
    assertThat(spec(habit)).isEqualTo(spec(ours));
  }

  /** Everything else of the line stays: values that look like options of others, too. */
  @Test
  void wordsAfterTheDashesAndValuesStay() throws UsageException {
    Copy copy = copy(List.of("--exclude", "a", "-P", "8", "--", "-a", "h:x"));

    assertThat(copy.request().spec().sources())
        .singleElement()
        .satisfies(source -> assertThat(source.path()).hasToString("-a"));
    assertThat(copy.request().spec().recursive()).isFalse();
  }

  @Test
  void listsOfPatternsStandAmongTheOthersInTheirOrder() throws UsageException {
    String lists =
        "--include keep --exclude-from skip --include=late --include-from take --exclude end";

    assertThat(spec(lists))
        .isEqualTo(
            spec(
                "--include keep --exclude *.o --include important --exclude tmp/ --include late"
                    + " --include *.c --exclude *.tmp --exclude end"));
  }

  @Test
  void patternsFromWindowsAndWithBlanksAtTheirEndMean() throws UsageException {
    assertThat(spec("--exclude-from windows"))
        .isEqualTo(spec("--exclude *.o --include important --exclude tmp/"));
    Copy copy = copy(List.of("--exclude-from", "quoted", "x", "h:y"));
    assertThat(copy.request().spec().selection().rules())
        .singleElement()
        .satisfies(rule -> assertThat(rule.pattern().text()).hasToString("ends with\\\\ "));
  }

  @Test
  void saysInWhichLineAPatternIsWrong() {
    assertThatThrownBy(() -> spec("--exclude-from broken"))
        .hasMessageStartingWith("copy: --exclude-from broken line 2: ");
    assertThatThrownBy(() -> spec("--exclude-from negated"))
        .hasMessageStartingWith("copy: --exclude-from negated line 1: '!x': write '+ PATTERN'");
  }

  @Test
  void comparesContentsInAGroupOfLetters() throws UsageException {
    TransferRequest request = copy(List.of("-acn", "x", "h:y")).request();

    assertThat(request.spec().sync().level()).isEqualTo(SyncRule.Level.CHECKSUM);
    assertThat(request.spec().dryRun()).isTrue();
  }

  private static Object spec(String options) throws UsageException {
    List<String> words =
        Stream.concat(Stream.of(options.split(" +")), Stream.of("x", "h:y")).toList();
    Copy copy = copy(words);
    return List.of(copy.request().spec(), copy.output());
  }

  private static Copy copy(List<String> words) throws UsageException {
    return ((Copier)
            Subcommands.parse(
                    Stream.concat(Stream.of("copy"), words.stream()).toList(),
                    new GivenSurroundings(
                        Map.of(
                            "skip", "# objects\n*.o\n\n; mine\n+ important\n- tmp/\n",
                            "take", "*.c\n- *.tmp",
                            "windows", "# objects\r\n*.o \r\n\r\n+ important\t\r\n- tmp/",
                            "quoted", "ends with\\ \n",
                            "broken", "fine\n[a\n",
                            "negated", "!x\n"),
                        Map.of()))
                .command())
        .copy();
  }
}
