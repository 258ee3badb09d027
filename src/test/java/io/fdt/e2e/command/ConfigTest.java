package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The configuration of clients: opened, checked, explained. */
class ConfigTest {
  @RegisterExtension private final Lab lab = new Lab();
  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = lab.home().resolve("client.conf");
  }

  @Test
  void anEditorOpensTheFileWhichIsMadeWithComments() throws IOException {
    lab.environment("EDITOR", "false");
    lab.environment("VISUAL", "sed -i 's/^# *\\(\\[server\\|address\\|streams\\)/\\1/'");

    Outcome made = run("config").expect(0);

    assertThat(made.out()).isEqualTo(file + ": nothing is wrong\n");
    assertThat(run("servers").expect(0).out())
        .containsPattern("storage1 +dtn01.example.org:54321 ");

    lab.environment("VISUAL", "");
    assertThat(run("config").expect(2).err())
        .contains("the editor 'false' ended with status 1; set EDITOR to another one");
    lab.environment("EDITOR", "echo '[server b]\nport = x' >>");
    assertThat(run("config").expect(2).err()).contains(file + ":", ": port: 'x' is not a whole");
  }

  @Test
  void allThatIsWrongIsNamedWithItsPlace() throws IOException {
    Files.createDirectories(lab.home());
    Files.writeString(
        file,
        """
        [server a]
        verify = perhaps
        [server b]
        straems = 3
        """);
    lab.environment("FDT_STREAM", "3");
    Path logins = writePrivately("logins", "h:1 SHA256:x a b c\n");
    Path hosts = writePrivately("known_hosts", "v2 h:1 SHA256:x\n");

    Outcome check = run("config", "--check").expect(2);
    Outcome json = run("config", "--check", "--json").expect(2);

    assertThat(check.problems())
        .containsExactly(
            "fdt: " + file + ":2: verify is yes or no, not 'perhaps'",
            "fdt: " + file + ":4: 'straems' is no setting; did you mean streams?",
            "fdt: the environment has FDT_STREAM, which is no setting; did you mean FDT_STREAMS?",
            "fdt: " + hosts + ":1: no known server of this version; remove the line",
            "fdt: "
                + logins
                + ":1: no login of this version, so it is ignored; log in again and remove the"
                + " line");
    assertThat(JsonLines.lines(JsonLines.COMMANDS, json).get(0).get("problems").size())
        .isEqualTo(5);
    assertThat(run("servers").expect(0).err()).contains(logins + ":1: no login of this version");
  }

  @Test
  void eachValueInForceIsShownWithItsPlace() throws IOException {
    Files.createDirectories(lab.home());
    Files.writeString(file, "[server a]\nport = 7\nstreams = 8\nencrypt = yes\n");
    lab.environment("FDT_STREAMS", "3");

    Outcome show = run("config", "--show").expect(0);
    Outcome json = run("config", "--show", "--json").expect(0);

    assertThat(show.out())
        .containsPattern("- +home +" + lab.home() + " +FDT_HOME\n")
        .containsPattern("- +streams +3 +FDT_STREAMS\n")
        .containsPattern("a +address +a:7 +" + file + ":1\n")
        .containsPattern("a +streams +3 +FDT_STREAMS, which overrides " + file + ":3\n")
        .containsPattern("a +encrypt +yes +" + file + ":4\n");
    assertThat(JsonLines.of(JsonLines.lines(JsonLines.COMMANDS, json), "setting")).hasSize(5);
  }

  @Test
  void theFileOfAServerIsCheckedWithoutStartingIt() throws IOException {
    Path wrong =
        Files.writeString(lab.root().resolve("serve.conf"), "export = d\nmax-sesions = 3\n");
    Path right = Files.writeString(lab.root().resolve("right.conf"), "export = d\n");

    assertThat(run("config", "--check", wrong.toString()).expect(2).problems())
        .containsExactly(
            "fdt: " + wrong + ":2: 'max-sesions' is no setting; did you mean max-sessions?");
    run("config", "--check", right.toString()).expect(0);
  }

  private Path writePrivately(String name, String content) throws IOException {
    Path written = Files.writeString(lab.home().resolve(name), content);
    written.toFile().setReadable(false, false);
    written.toFile().setReadable(true, true);
    return written;
  }

  private Outcome run(String... words) {
    return lab.run(lab.root(), words);
  }
}
