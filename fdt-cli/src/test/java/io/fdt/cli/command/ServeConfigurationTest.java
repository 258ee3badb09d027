package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.serve.ServeRun;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.server.Export;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server whose options stand in a file, in the environment, and on its line. */
class ServeConfigurationTest {
  private static final String FILE =
      """
      # A comment; the next line is empty.

      port = 6000
        export=data=/srv/run 42
      export = /srv/incoming:rw
      require-encryption = yes
      stop-after-last-client = no
      """;

  @Test
  void aFileHoldsWhatTheLineWould() throws UsageException {
    ServeRun serve = serve(FILE, Map.of(), "--config", "fdt.conf");

    assertThat(serve.port()).isEqualTo(6000);
    assertThat(serve.exports())
        .containsExactly(
            export("data", "/srv/run 42", Export.Access.READ_ONLY),
            export("incoming", "/srv/incoming", Export.Access.READ_WRITE));
    assertThat(serve.access().requireEncryption()).isTrue();
    assertThat(serve.stopAfterLastClient()).isFalse();
  }

  @Test
  void theLineOverrulesTheEnvironmentAndTheEnvironmentTheFile() throws UsageException {
    Map<String, String> environment =
        Map.of(
            "FDT_SERVE_PORT", "7000",
            "FDT_SERVE_MAX_SESSIONS", "7",
            "FDT_SERVE_REQUIRE_ENCRYPTION", "no",
            "FDT_SERVE_EXPORT", "a=/x ; b=/y:rw",
            "FDT_HOME", "/somewhere");

    ServeRun serve = serve(FILE, environment, "--config=fdt.conf", "--max-sessions", "8");

    assertThat(serve.port()).isEqualTo(7000);
    assertThat(serve.access().limits().sessions()).isEqualTo(8);
    assertThat(serve.access().requireEncryption()).isFalse();
    assertThat(serve.exports())
        .containsExactly(
            export("a", "/x", Export.Access.READ_ONLY),
            export("b", "/y", Export.Access.READ_WRITE));
    assertThat(serve(FILE, environment, "--config", "fdt.conf", "--export", "c=/z").exports())
        .containsExactly(export("c", "/z", Export.Access.READ_ONLY));
  }

  @Test
  void ratesMayComeFromBoth() throws UsageException {
    ServeRun serve =
        serve(
            "limit = 09:00-18:00=100M,else=off",
            Map.of("FDT_SERVE_LIMIT_PER_CLIENT", "8Mbit/s"),
            "--config",
            "fdt.conf",
            "/a");

    assertThat(serve.access().limits().rate()).hasToString("09:00-18:00=100M,else=off");
    assertThat(serve.access().limits().clientRate().leastBytesPerSecond()).isEqualTo(1_000_000);
  }

  @Test
  void theEnvironmentMayNameTheFile() throws UsageException {
    assertThat(serve(FILE, Map.of("FDT_SERVE_CONFIG", "fdt.conf")).port()).isEqualTo(6000);
  }

  @Test
  void helpDoesNotNeedAFile() throws UsageException {
    assertThat(
            Subcommands.parse(
                    List.of("serve", "--config", "missing", "--help"), GivenSurroundings.NONE)
                .command())
        .isInstanceOf(Help.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "# fine;port 6000         | fdt.conf:2: 'port 6000' is not of the form: name = value",
        "exprt = /x               | fdt.conf:1: 'exprt' is no setting; did you mean export?",
        "frobnicate = 1           | fdt.conf:1: 'frobnicate' is no setting; the settings are",
        "limit = 9-18=1M,else=off | fdt.conf:1: --limit: '9-18' is not a time window",
        ";;port =                 | fdt.conf:3: port needs a value: PORT",
        "require-encryption = 1   | fdt.conf:1: require-encryption is yes or no, not '1'",
        "export = a=/x;port = 99999;max-sessions = 1 | fdt.conf:2: -p: '99999' is not a whole",
        "export = a=/x;port = 1;export = b/a | fdt.conf:3: two exports are called 'a'",
        "port = 1;tls-key = k     | fdt.conf:2: --tls-cert and --tls-key go together",
        "port = 1;port = 2        | fdt.conf:2: -p was given more than once",
        "config = other           | fdt.conf:1: a file cannot name another file",
        "help = yes               | fdt.conf:1: 'help' is no setting",
      })
  void saysInWhichLineItIsWrong(String lines, String message) {
    assertThatThrownBy(() -> serve(lines.replace(';', '\n'), Map.of(), "--config", "fdt.conf"))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("serve: " + message);
  }

  @Test
  void saysWhichVariableIsWrong() {
    assertThatThrownBy(() -> serve("", Map.of("FDT_SERVE_PORT", "many")))
        .hasMessageContaining("serve: FDT_SERVE_PORT: -p: 'many' is not a whole number");
    assertThatThrownBy(() -> serve("", Map.of("FDT_SERVE_EXPRT", "/x")))
        .hasMessageContaining(
            "has FDT_SERVE_EXPRT, which is no setting; did you mean FDT_SERVE_EXPORT?");
  }

  @Test
  void whatIsWrongOnTheLineStaysWithoutAPlace() {
    assertThatThrownBy(() -> serve(FILE, Map.of(), "--config", "fdt.conf", "--max-sessions", "no"))
        .hasMessageStartingWith("serve: --max-sessions: 'no' is not a whole number");
    assertThatThrownBy(() -> serve(FILE, Map.of(), "--config", "other"))
        .hasMessageStartingWith("serve: --config other: no such file");
  }

  private static ServeRun serve(String file, Map<String, String> environment, String... words)
      throws UsageException {
    List<String> line = Stream.concat(Stream.of("serve"), Stream.of(words)).toList();
    Surroundings surroundings = new GivenSurroundings(Map.of("fdt.conf", file), environment);
    return (ServeRun) Subcommands.parse(line, surroundings).command();
  }

  private static Export export(String name, String directory, Export.Access access) {
    return new Export(FileName.of(name), BytePath.of(directory), access);
  }
}
