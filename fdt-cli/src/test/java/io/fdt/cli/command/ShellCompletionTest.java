package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.run.Help;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What shells complete the command by, and its man page, against its help. */
class ShellCompletionTest {
  @TempDir Path directory;

  /** Each text costs the model of all commands. */
  private static final Map<String, String> PRINTED = new HashMap<>();

  private static String printed(String what) throws UsageException {
    String text = PRINTED.get(what);
    if (text == null) {
      List<String> words = List.of(("completion " + what).split(" "));
      text = ((Help) Subcommands.parse(words, GivenSurroundings.NONE).command()).text();
      PRINTED.put(what, text);
    }
    return text;
  }

  /** Of every command, every option that its help shows is in each of them. */
  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh", "fish", "man"})
  void everyOptionIsThere(String what) throws Exception {
    String text = printed(what);
    Map<String, CommandSpec> commands = Subcommands.commands(GivenSurroundings.NONE);
    assertThat(commands).containsKeys("", "copy", "ls", "rm", "serve", "token", "completion");
    int options = 0;
    for (Map.Entry<String, CommandSpec> command : commands.entrySet()) {
      boolean hasOwnPage = what.equals("man") && !command.getKey().isEmpty();
      String part =
          hasOwnPage ? printed("man " + command.getKey()) : part(what, text, command.getKey());
      String help =
          ((Help)
                  Subcommands.parse(
                          command.getKey().isEmpty()
                              ? List.of("--help-all")
                              : List.of(command.getKey(), "--help-all"),
                          GivenSurroundings.NONE)
                      .command())
              .text();
      for (OptionSpec option : ShellCompletion.options(command.getValue())) {
        for (String name : option.names()) {
          options++;
          assertThat(help).contains(name);
          assertThat(part).as("%s of %s", name, command.getKey()).contains(form(what, name));
        }
      }
    }
    assertThat(options).isGreaterThan(200);
  }

  /** Of the text the part that is about one command. */
  private static String part(String what, String text, String command) {
    Pattern pattern =
        Pattern.compile(
            switch (what) {
              case "bash", "zsh" ->
                  "(?s)\n    " + (command.isEmpty() ? "\\*" : command) + "\\)\n.*?\n      ;;\n";
              case "fish" ->
                  "(?m)(^complete [^\n]*"
                      + (command.isEmpty()
                          ? "'not __fish_seen_subcommand_from"
                          : "'__fish_seen_subcommand_from " + command + "'")
                      + "[^\n]*\n)+";
              default -> "(?s)FDT'S FLAGS.*?\n\\.SH";
            });
    var matcher = pattern.matcher(text);
    assertThat(matcher.find()).as("%s in %s", command, what).isTrue();
    return matcher.group();
  }

  private static String form(String what, String name) {
    return switch (what) {
      case "bash" -> name;
      case "zsh" -> "'*" + name + "[";
      case "fish" ->
          name.startsWith("--")
              ? " -l " + name.substring(2) + " "
              : (name.length() == 2 ? " -s " : " -o ") + name.substring(1) + " ";
      default -> name.replace("-", "\\-");
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh", "fish"})
  void theShellTakesIt(String shell) throws Exception {
    require(shell);
    Path script = Files.writeString(directory.resolve("script"), printed(shell));
    assertThat(run(shell, "-n", script.toString())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "fdt ch            | checksum",
        "fdt copy --off    | --offset",
        "fdt ls --unso     | --unsorted",
        "fdt -pu           | -pull",
        "fdt mkdir --par   | --parents",
        "fdt copy --offset | --offset",
        "fdt copy --links ''         | copy follow skip",
        "fdt copy --checksum b       | blake3",
        "fdt copy --sync = mt        | mtime",
        "fdt copy --sync =           | exists size mtime checksum",
        "fdt checksum --checksum x   | xxh3 xxh128",
        "fdt serve --anonymous r     | ro rw",
        "fdt token ''                | create list revoke",
        "fdt completion f            | fish"
      })
  void bashCompletes(String line, String expected) throws Exception {
    Path script = Files.writeString(directory.resolve("script"), printed("bash"));
    String program =
        "source '%s'; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fdt; echo ${COMPREPLY[@]}"
            .formatted(script, line);
    assertThat(run("bash", "-c", program).strip()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "fdt checks | checksum",
        "fdt copy --off | --offset",
        "fdt ls --unso | --unsorted",
        "fdt mkdir --par | --parents",
        "fdt copy --links | copy follow skip",
        "fdt copy --checksum b | blake3",
        "fdt copy --checksum=b | --checksum=blake3",
        "fdt token | create list revoke",
        "fdt token create | "
      })
  void fishCompletes(String line, String expected) throws Exception {
    require("fish");
    Path script = Files.writeString(directory.resolve("script"), printed("fish"));
    String text = line + (line.matches(".*(links|token|create)") ? " " : "");
    String completions =
        run("fish", "--no-config", "-c", "source '%s'; complete -C '%s'".formatted(script, text));
    assertThat(
            completions
                .lines()
                .map(found -> found.replaceFirst("\t.*", ""))
                .filter(found -> !Files.exists(Path.of(found)))
                .toList())
        .containsExactlyInAnyOrder(expected == null ? new String[0] : expected.split(" "));
  }

  /** What zsh is told of values and words. */
  @Test
  void zshKnowsTheWords() throws Exception {
    assertThat(printed("zsh"))
        .contains(":RULE:(copy follow skip)'", ":LEVEL:(exists size mtime checksum)'")
        .contains("'1:word:(create list revoke)'", "'1:word:(bash zsh fish man markdown)'");
  }

  @Test
  void theManPageIsWellFormed() throws Exception {
    require("groff");
    Path page = Files.writeString(directory.resolve("fdt.1"), printed("man"));
    assertThat(run("bash", "-c", "groff -man -Tascii -ww -z '" + page + "' 2>&1")).isEmpty();
    Path copy = Files.writeString(directory.resolve("fdt-copy.1"), printed("man copy"));
    assertThat(run("bash", "-c", "groff -man -Tascii -ww -z '" + copy + "' 2>&1")).isEmpty();
    assertThat(run("bash", "-c", "groff -man -Tascii -P-c '" + page + "'"))
        .contains("NAME", "--checksum", "-rCount");
  }

  @ParameterizedTest
  @ValueSource(strings = {"completion", "completion tcsh", "completion bash zsh", "completion -x"})
  void anythingElseIsNotPrinted(String line) {
    assertThatThrownBy(() -> Subcommands.parse(List.of(line.split(" ")), GivenSurroundings.NONE))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("completion");
  }

  /** Skips the test if a program is not installed; {@code .ci/count-tests} knows the message. */
  private static void require(String program) throws Exception {
    Assumptions.assumeTrue(
        !run("bash", "-c", "command -v " + program).isEmpty(), "not installed: " + program);
  }

  /** Standard output and standard error. */
  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return output;
  }
}
