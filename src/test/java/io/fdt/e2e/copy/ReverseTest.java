package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Copies in which the server connects to the client's machine. */
class ReverseTest {
  @RegisterExtension final Lab lab = new Lab();

  private Path here;
  private Path there;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    here = lab.directory("here");
    there = lab.directory("there");
    server = lab.serveAt(lab.root().resolve("h"), "--export", "data=" + there + ":rw");
  }

  private Outcome copy(int port, String... words) {
    List<String> all = new ArrayList<>(List.of("copy", "--reverse", "--accept-new"));
    all.addAll(List.of("--token-file", lab.root().resolve("h/token").toString()));
    for (String word : words) {
      all.add(word.replace("SERVER", "fdt://127.0.0.1:" + port));
    }
    return lab.runAt(lab.root().resolve("c"), here, all.toArray(String[]::new));
  }

  @Test
  void aTreeIsSentAndFetchedAndNoStreamComesFromHere() throws Exception {
    Shell.run(here, "mkdir -p run/sub; printf 1 > run/f; head -c 5000000 /dev/urandom > run/sub/g");
    try (FaultyNetwork network =
        new FaultyNetwork(server.port(), (data, number) -> FaultyNetwork.Fault.NONE)) {
      Outcome sent = copy(network.port(), "-r", "run", "SERVER/data/").expect(0);
      Outcome fetched = copy(network.port(), "-r", "SERVER/data/run/", "back").expect(0);

      assertThat(network.controlConnections()).isPositive();
      assertThat(network.dataConnections()).isZero();
      assertThat(sent.err()).isEmpty();
      assertThat(sent.summary()).startsWith("done: 2 files, 4.77 MiB in ").contains("all verified");
      assertThat(fetched.err()).isEmpty();
    }
    Tree.assertSame(there.resolve("run"), here.resolve("run"));
    Tree.assertSame(here.resolve("back"), here.resolve("run"));
  }

  @Test
  void localNamesAreTakenAsTheyAre() throws Exception {
    Files.writeString(here.resolve("~"), "tilde");
    Files.writeString(here.resolve("a*"), "star");
    Files.writeString(here.resolve("ab"), "no star");

    copy(server.port(), "~", "a*", "SERVER/data/").expect(0);

    assertThat(there.resolve("~")).hasContent("tilde");
    assertThat(there.resolve("a*")).hasContent("star");
    assertThat(there.resolve("ab")).doesNotExist();
  }

  @Test
  void wildcardsOfTheServerAreExpandedThere() throws Exception {
    Files.writeString(there.resolve("x1"), "1");
    Files.writeString(there.resolve("x2"), "2");

    copy(server.port(), "SERVER/data/x*", ".").expect(0);

    assertThat(here.resolve("x1")).hasContent("1");
    assertThat(here.resolve("x2")).hasContent("2");
  }

  @Test
  void anAddressThatTheServerDoesNotReachIsNamed() throws Exception {
    Files.writeString(here.resolve("f"), "1");

    Outcome outcome =
        copy(server.port(), "--reverse-address", "192.0.2.1:0x", "f", "SERVER/data/").expect(2);
    Outcome unreached =
        copy(server.port(), "--reverse-address", "127.0.0.2", "f", "SERVER/data/").expect(0);

    assertThat(outcome.err()).contains("the port of '192.0.2.1:0x'");
    assertThat(unreached.err()).isEmpty();
    assertThat(there.resolve("f")).hasContent("1");
  }

  @Test
  void aServerThatMayNotConnectSaysSo() throws Exception {
    Files.writeString(here.resolve("f"), "1");
    RunningCommand still =
        lab.serveAt(
            lab.root().resolve("h"), "--no-third-party", "--export", "data=" + there + ":rw");

    Outcome outcome = copy(still.port(), "f", "SERVER/data/").expect(4);

    assertThat(outcome.err()).contains("127.0.0.1:" + still.port());
    assertThat(there).isEmptyDirectory();
  }

  @Test
  void whatMakesNoSenseIsNamed() {
    assertThat(copy(1, "a", "b").expect(2).err()).contains("neither side is on a server");
    assertThat(copy(1, "SERVER/a", "SERVER/b").expect(2).err())
        .contains("--reverse is for copies from or to this machine");
    assertThat(copy(1, "-", "SERVER/b").expect(2).err())
        .contains("--reverse copies files, not standard input or output");
    assertThat(copy(1, "zip:///a.zip/f", "SERVER/b").expect(2).err())
        .contains("--reverse copies from and to directories of this machine, not SCHEME://PATH");
    assertThat(copy(1, "--detach", "a", "SERVER/b").expect(2).err()).contains("--detach");
    assertThat(copy(1, "--transport", "udt", "a", "SERVER/b").expect(2).err()).contains("udt");
  }
}
