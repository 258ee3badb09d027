package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What real shells make of unfinished words: servers, paths on them, tokens, values. */
class CompletionProcessTest {
  /** A line, and what it becomes or what is offered: the names that are possible. */
  private record Line(String typed, String... found) {}

  private static final List<Line> LINES =
      List.of(
          new Line("fdt ls stor", "storage1:/"),
          new Line("fdt copy -r storage1:/source/ru", "storage1:/source/run42/"),
          new Line("fdt token revoke al", "alice"),
          new Line("fdt copy --links sk", "skip"),
          new Line("fdt help chec", "checksum"),
          new Line("fdt hel", "help"),
          new Line("fdt watch --changing c", "copy"));

  private static final List<Line> MORE =
      List.of(
          new Line("fdt rm storage1:/source/f", "storage1:/source/f1", "storage1:/source/f2"),
          new Line("fdt nettest st", "storage1"),
          new Line("fdt ls storage1:/none/x"));

  @RegisterExtension private final Lab lab = new Lab();

  @BeforeEach
  void serve() {
    Path source = lab.directory("source");
    Shell.run(source, "mkdir run42; touch f1 f2 run42/x");
    RunningCommand server = lab.serve("--export", source.toString());
    lab.run(lab.root(), "token", "create", "alice").expect(0);
    Path jar = Path.of(System.getProperty("fdt.jar")).toAbsolutePath().normalize();
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Shell.run(
        lab.root(),
        """
        printf '[server storage1]\\naddress = 127.0.0.1\\nport = %d\\n' > home/client.conf
        mkdir bin empty
        cat > bin/fdt <<'END'
        #!/bin/sh
        FDT_CACHE=off exec %s @%s -XX:TieredStopAtLevel=1 -Dfdt.completion.seconds=60 -jar %s "$@"
        END
        chmod +x bin/fdt
        """
            .formatted(server.port(), java, jar.resolveSibling("fdt.jvm"), jar));
    for (String shell : List.of("bash", "zsh", "fish")) {
      lab.runWords(lab.root(), "completion " + shell + " > " + shell).expect(0);
    }
  }

  @Test
  void bashOffersServersPathsAndTokens() {
    List<Line> all = new ArrayList<>(LINES);
    all.addAll(MORE);
    for (Line line : all) {
      String last = line.typed().substring(line.typed().lastIndexOf(' ') + 1);
      String[] words = line.typed().replace(":", " : ").split(" +");
      String beforeColon = last.substring(0, last.lastIndexOf(':') + 1);
      String program =
          """
          source ../bash; COMP_LINE='%s'; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(%s)
          COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fdt; printf '%%s\\n' "${COMPREPLY[@]}"
          """
              .formatted(line.typed(), String.join(" ", words));
      assertThat(lines("bash", program).filter(found -> !found.isEmpty()))
          .as(line.typed())
          .containsExactly(
              Stream.of(line.found())
                  .map(found -> found.substring(beforeColon.length()))
                  .toArray(String[]::new));
    }
  }

  /**
   * The word that a shell makes of what is offered is the name itself, and nothing else happens.
   */
  @Test
  void namesFromServersAreNoCommands() {
    List<String> names =
        List.of(
            "$(touch pwned)",
            "`touch pwned`",
            "; touch pwned",
            "two  blanks",
            "quote'and\"",
            "back\\slash",
            "star*?[a]",
            "!history $HOME ~");
    Path odd = lab.directory("source/odd");
    for (String name : names) {
      Content.write(odd.resolve(name), 1, 1);
    }
    Content.write(odd.resolve("escape\u001b]0;title\u0007"), 1, 1);
    Content.write(odd.resolve("new\nline"), 1, 1);
    Content.write(odd.resolve("t\tab"), 1, 1);
    String[] expected = names.stream().map(name -> "/source/odd/" + name).toArray(String[]::new);

    String bash =
        """
        source ../bash; COMP_LINE='fdt ls storage1:/source/odd/'; COMP_POINT=${#COMP_LINE}
        COMP_WORDS=(fdt ls storage1 : /source/odd/); COMP_CWORD=4; _fdt
        eval "set -- ${COMPREPLY[*]}"; printf '%s\\n' "$@"
        """;
    assertThat(lines("bash", bash)).containsExactlyInAnyOrder(expected);
    String inside =
        """
        source ../bash; COMP_LINE='fdt ls storage1:/source/odd/two\\ \\ bl'; COMP_POINT=${#COMP_LINE}
        COMP_WORDS=(fdt ls storage1 : '/source/odd/two\\ \\ bl'); COMP_CWORD=4; _fdt
        eval "set -- ${COMPREPLY[*]}"; printf '%s\\n' "$@"
        """;
    assertThat(lines("bash", inside)).containsExactly("/source/odd/two  blanks");
    Programs.require("fish");
    assertThat(
            lines("fish --no-config", "source ../fish; complete -C 'fdt ls storage1:/source/odd/'")
                .map(found -> found.replaceFirst("^storage1:", "")))
        .containsExactlyInAnyOrder(expected);
    assertThat(lab.root().resolve("empty/pwned")).doesNotExist();
  }

  @Test
  void fishOffersServersPathsAndTokens() {
    Programs.require("fish");
    for (Line line : LINES) {
      String program = "source ../fish; complete -C '%s'".formatted(line.typed());
      assertThat(lines("fish --no-config", program).map(found -> found.replaceFirst("\t.*", "")))
          .as(line.typed())
          .containsExactly(line.found());
    }
    for (String typed : List.of("fdt login ", "fdt token revoke ")) {
      assertThat(
              lines("fish --no-config", "source ../fish; touch here; complete -C '" + typed + "'"))
          .as(typed)
          .isNotEmpty()
          .doesNotContain("here"); // servers and tokens are no files
    }
  }

  /** An interactive zsh in a terminal of its own: Tab, then the line as it is then. */
  @Test
  void zshCompletesServersPathsAndTokens() {
    Programs.require("zsh");
    StringBuilder keys = new StringBuilder();
    for (Line line : LINES) {
      keys.append("zpty -w -n z $'").append(line.typed()).append("\\x18'; wait_for_line\n");
    }
    String program =
        """
        zmodload zsh/zpty; zmodload zsh/zselect
        : > shown
        count=0
        wait_for_line() {
          ((count++))
          for i in {1..3000}; do
            zpty -r -t z text
            (($(wc -l < shown) >= count)) && return
            zselect -t 1
          done
          print -u2 "no line $count"; exit 1
        }
        zpty z zsh -f -i
        zpty -w z 'PROMPT=; fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -d $PWD/dump'
        zpty -w z 'show() { zle complete-word; print -r -- "$BUFFER" >> shown; zle kill-whole-line }'
        zpty -w z 'zle -N show; bindkey "^X" show; print ready >> shown'
        wait_for_line
        KEYS
        zpty -d z
        sed -n "2,${count}p" shown
        """
            .replace("KEYS", keys);
    Shell.run(lab.root(), "mkdir empty/functions; cp zsh empty/functions/_fdt");

    List<String> expected =
        LINES.stream()
            .map(
                line ->
                    line.typed().substring(0, line.typed().lastIndexOf(' ') + 1) + line.found()[0])
            .toList();
    assertThat(lines("zsh -f", program).map(String::strip)).containsExactlyElementsOf(expected);
  }

  /** What a shell prints that runs a program in an empty directory. */
  private Stream<String> lines(String shell, String program) {
    String quoted = "'" + program.replace("'", "'\\''") + "'";
    String script =
        "cd empty; export FDT_HOME=../home PATH=$PWD/../bin:$PATH TERM=dumb; "
            + shell
            + " -c "
            + quoted;
    return new String(Shell.run(lab.root(), script), StandardCharsets.UTF_8).lines();
  }
}
