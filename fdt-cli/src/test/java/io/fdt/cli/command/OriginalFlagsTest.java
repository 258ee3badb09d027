package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.command.OriginalFlags.Flag;
import io.fdt.cli.command.OriginalFlags.Kind;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.Version;
import io.fdt.cli.run.copy.Copier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each flag that the original FDT reads works, is noted, or is refused with what to write. */
class OriginalFlagsTest {
  private static final Path PAGE = Path.of("../docs/MIGRATING.md");
  private static final String BEGIN = "<!-- original flags -->";
  private static final String END = "<!-- end of original flags -->";

  /**
   * As in its Config and FDT, version 0.27; those of its other programs (DDCopy, JIperf) are not
   * here.
   */
  private static final List<String> ALL =
      List.of(
          ("-FDT_LISTEN -H -N -P -S -U -V -agent -apmon_rep_delay -autoport -bio -bs -c -coord -d"
               + " -dIP -dp -enableLisaRestart -enable_apmon -f -F -fbs -fdtTAG -fl -genb -gsi"
               + " -gsip -gsissh -h -help -iof -ka -limit -limitDelay -lisa_rep_delay"
               + " -lisafdtclient -lisafdtserver -ll -local -loop -ls -md5 -monID -ms -mst -nbio"
               + " -nettest -nolock -nolocks -notmp -noupdates -opentsdb -p -pCount -portRange"
               + " -postFilters -preFilters -printStats -pull -r -rCount -remote -reportDelay -sID"
               + " -sIP -shell -silent -sn -ss -sshKey -sshp -stable -tp -u -update -v -vv -vvv"
               + " -version -wCount -writeMode")
              .split(" "));

  static Stream<Flag> flags() {
    return OriginalFlags.FLAGS.values().stream();
  }

  static Stream<Flag> ignored() {
    return flags().filter(flag -> flag.kind() == Kind.IGNORED);
  }

  static Stream<Flag> refused() {
    return flags().filter(flag -> flag.kind() == Kind.REFUSED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-md5", "-u", "-bio"})
  void theListIsOfTheOriginal(String flag) {
    assertThat(ALL).contains(flag);
  }

  @Test
  void eachIsAnOptionOrInTheTable() {
    for (String flag : ALL) {
      boolean isOption = FdtCommand.spec().optionsMap().containsKey(flag);
      assertThat(isOption || OriginalFlags.FLAGS.containsKey(flag)).as(flag).isTrue();
    }
    assertThat(ALL).containsAll(OriginalFlags.FLAGS.keySet());
  }

  /** An option of ours and a flag of the table would hide each other. */
  @ParameterizedTest
  @MethodSource("flags")
  void noFlagOfTheTableIsAnOption(Flag flag) {
    assertThat(FdtCommand.spec().optionsMap()).doesNotContainKey(flag.name());
  }

  @ParameterizedTest
  @MethodSource("ignored")
  void aFlagThatChangesNothingIsNotedAtAClientAndAtAServer(Flag flag) throws UsageException {
    List<String> words = new ArrayList<>(List.of("-p", "54322", flag.name()));
    if (!flag.value().isEmpty()) {
      words.add("5");
    }
    OriginalFlags.Line line = OriginalFlags.translate(words);

    assertThat(line.words()).containsExactly("-p", "54322");
    assertThat(line.notes()).containsExactly(flag.name() + " changes nothing: " + flag.text());
    assertThat(parse(words)).isNotNull();
    words.addAll(List.of("-c", "h", "-d", "/data", "x"));
    assertThat(parse(words)).isNotNull();
  }

  @ParameterizedTest
  @MethodSource("refused")
  void aFlagThatCannotBeKeptIsRefusedWithWhatToWrite(Flag flag) {
    assertThatThrownBy(() -> parse(List.of("-c", "h", flag.name(), "x")))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith(flag.name() + ": " + flag.text());
  }

  @Test
  void oneReasonIsNotedOnce() throws UsageException {
    assertThat(OriginalFlags.translate(List.of("-nolock", "-nolocks", "-noupdates")).notes())
        .containsExactly(
            "-nolock changes nothing: only partial files are locked",
            "-noupdates changes nothing: this program never updates itself");
  }

  @Test
  void md5IsTheDigestOfAClientAndLeftToItByAServer() throws UsageException {
    Copier copier = (Copier) parse(List.of("-c", "h", "-md5", "-d", "/data", "x"));

    assertThat(copier.copy().request().spec().assurance().checksum()).hasToString("MD5");
    OriginalFlags.Line server = OriginalFlags.translate(List.of("-md5", "-bs", "8M", "-S"));
    assertThat(server.words()).containsExactly("-bs", "8M", "-S");
    assertThat(server.notes()).containsExactly("-md5 changes nothing: clients choose the digest");
  }

  @Test
  void helpAndVersionHaveTheOriginalsSpellings() throws UsageException {
    for (String word : List.of("-H", "-help", "-h")) {
      assertThat(parse(List.of(word))).isInstanceOf(Help.class);
    }
    for (String word : List.of("-V", "-version")) {
      assertThat(parse(List.of(word))).isInstanceOf(Version.class);
    }
  }

  @Test
  void namesAfterTwoDashesAreNames() throws UsageException {
    assertThat(OriginalFlags.translate(List.of("-c", "h", "--", "-bio")).notes()).isEmpty();
  }

  @Test
  void theTableInThePageIsThatOfTheProgram() throws IOException {
    String page = Files.readString(PAGE);

    assertThat(page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END)).strip())
        .as("paste this between the two comments")
        .isEqualTo(table());
  }

  private static String table() {
    Map<String, String> rows = new LinkedHashMap<>();
    for (Flag flag : OriginalFlags.FLAGS.values()) {
      String here =
          switch (flag.kind()) {
            case OURS -> "`" + flag.text().replace("%s", "N") + "`";
            case IGNORED -> "ignored with a note: " + flag.text();
            case REFUSED -> "refused: " + flag.text();
          };
      String name = "`" + (flag.name() + " " + flag.value()).strip() + "`";
      rows.merge(here, name, (earlier, next) -> earlier + ", " + next);
    }
    return "| flag | here |\n|---|---|\n"
        + rows.entrySet().stream()
            .map(row -> "| " + row.getValue() + " | " + row.getKey() + " |")
            .collect(Collectors.joining("\n"));
  }

  private static Object parse(List<String> words) throws UsageException {
    return Subcommands.parse(words, new GivenSurroundings(Map.of(), Map.of())).command();
  }
}
