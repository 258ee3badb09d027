package io.fdt.e2e.thirdparty;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.JsonLines;
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

/** Copies between two servers of different people, from the command line of a third one. */
class ThirdPartyCopyTest {
  @RegisterExtension final Lab lab = new Lab();

  private Path sources;
  private Path destinations;
  private Path homeOfSource;
  private Path homeOfDestination;
  private Path homeOfClient;

  @BeforeEach
  void makeSources() {
    sources = lab.directory("sources");
    destinations = lab.directory("destinations");
    homeOfSource = lab.root().resolve("a");
    homeOfDestination = lab.root().resolve("b");
    homeOfClient = lab.root().resolve("c");
    Shell.run(sources, "mkdir -p run/sub; printf 1 > run/f; printf 22 > run/sub/g");
  }

  private RunningCommand serveSource(String... options) {
    return serve(homeOfSource, sources.toString(), options);
  }

  private RunningCommand serveDestination(String... options) {
    return serve(homeOfDestination, destinations + ":rw", options);
  }

  private RunningCommand serve(Path home, String export, String... options) {
    List<String> all = new ArrayList<>(List.of("--export", export));
    all.addAll(List.of(options));
    return lab.serveAt(home, all.toArray(String[]::new));
  }

  private Outcome copy(RunningCommand from, RunningCommand to, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r", "--accept-new"));
    words.addAll(List.of(options));
    words.add("fdt://127.0.0.1:" + from.port() + "/sources/run");
    words.add("fdt://127.0.0.1:" + to.port() + "/destinations");
    return lab.runAt(homeOfClient, lab.root(), words.toArray(String[]::new));
  }

  /** With the tokens of both servers' owners. */
  private Outcome copyWithTokens(RunningCommand from, RunningCommand to, String... options) {
    List<String> words = new ArrayList<>(List.of(options));
    words.addAll(List.of("--source-token-file", homeOfSource.resolve("token").toString()));
    words.addAll(List.of("--token-file", homeOfDestination.resolve("token").toString()));
    return copy(from, to, words.toArray(String[]::new));
  }

  @Test
  void aTreeArrivesAndTheOutputIsThatOfAnyCopy() {
    Outcome outcome = copyWithTokens(serveSource(), serveDestination()).expect(0);

    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
    assertThat(outcome.summary()).startsWith("done: 2 files, 3 B in ").contains("all verified");
    assertThat(outcome.err()).isEmpty();
  }

  @Test
  void jsonNamesBothServers() {
    RunningCommand from = serveSource();
    RunningCommand to = serveDestination();

    Outcome outcome = copyWithTokens(from, to, "--json").expect(0);

    assertThat(JsonLines.of(JsonLines.events(outcome), "start"))
        .singleElement()
        .satisfies(
            start -> {
              assertThat(start.get("direction").asString()).isEqualTo("between");
              assertThat(start.get("source_server").asString()).endsWith(":" + from.port());
              assertThat(start.get("server").asString()).endsWith(":" + to.port());
            });
  }

  @Test
  void eachServerIsShownItsOwnTokenAndNoOther() {
    RunningCommand from = serveSource();
    RunningCommand to = serveDestination();

    Outcome none = copy(from, to).expect(4);
    Outcome ofDestination =
        copy(from, to, "--token-file", homeOfDestination.resolve("token").toString()).expect(4);
    Outcome ofSource =
        copy(from, to, "--source-token-file", homeOfSource.resolve("token").toString()).expect(4);

    for (Outcome outcome : List.of(none, ofDestination)) {
      assertThat(outcome.err())
          .contains("127.0.0.1:" + from.port() + ": the server requires a token")
          .contains("gets the token of --source-token-file or FDT_SOURCE_TOKEN");
    }
    assertThat(ofSource.err()).contains("127.0.0.1:" + to.port() + ": the server requires a token");
    assertThat(destinations).isEmptyDirectory();
  }

  @Test
  void aVariableOfTheEnvironmentIsAsGoodAsAFile() throws Exception {
    RunningCommand from = serveSource();
    RunningCommand to = serveDestination();
    lab.environment("FDT_SOURCE_TOKEN", Files.readString(homeOfSource.resolve("token")));
    lab.environment("FDT_TOKEN", Files.readString(homeOfDestination.resolve("token")));

    copy(from, to).expect(0);

    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
  }

  @Test
  void aServerThatTakesNoPartSaysSo() {
    RunningCommand from = serveSource();
    RunningCommand to = serveDestination("--no-third-party");

    Outcome outcome = copyWithTokens(from, to).expect(4);

    assertThat(outcome.err())
        .contains("127.0.0.1:" + to.port())
        .contains("refuses transfers between servers (--no-third-party)");
    assertThat(destinations).isEmptyDirectory();
  }

  @Test
  void aTokenWithoutTheRightIsGoodForOtherCopiesOnly() throws Exception {
    RunningCommand to = serveDestination();
    Path token = lab.root().resolve("limited");
    Outcome made =
        lab.runAt(homeOfSource, lab.root(), "token", "create", "bob", "--no-third-party").expect(0);
    Files.writeString(token, made.out());
    Shell.run(lab.root(), "chmod 600 limited");
    RunningCommand from = serveSource();

    Outcome outcome =
        copy(
                from,
                to,
                "--source-token-file",
                token.toString(),
                "--token-file",
                homeOfDestination.resolve("token").toString())
            .expect(4);

    assertThat(outcome.err()).contains("the token does not allow transfers between servers");
    assertThat(lab.runAt(homeOfSource, lab.root(), "token", "list").expect(0).out())
        .contains("bob ")
        .contains("third-party=no");
    lab.runAt(
            homeOfClient,
            lab.root(),
            "copy",
            "-r",
            "--token-file",
            token.toString(),
            "fdt://127.0.0.1:" + from.port() + "/sources/run",
            "destinations")
        .expect(0);
  }

  @Test
  void aServerConnectsWhereItsRuleAllows() {
    RunningCommand from = serveSource("--dial-to", "192.0.2.0/24");
    RunningCommand to = serveDestination("--dial-to", "192.0.2.7", "--dial-to", "127.0.0.0/8");

    Outcome outcome = copyWithTokens(from, to).expect(0);

    assertThat(outcome.err())
        .contains("127.0.0.1:" + to.port() + " connects to 127.0.0.1:" + from.port())
        .contains("--dial-to");
    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
  }

  @Test
  void whereNeitherMayConnectTheErrorSaysWhyOfEach() {
    RunningCommand from = serveSource("--dial-to", "192.0.2.0/24");
    RunningCommand to = serveDestination("--dial-to", "2001:db8::/32");

    Outcome outcome = copyWithTokens(from, to).expect(4);

    assertThat(outcome.err())
        .contains("neither server reaches the other")
        .contains("from 127.0.0.1:" + from.port())
        .contains("from 127.0.0.1:" + to.port())
        .contains("--dial-to");
    assertThat(destinations).isEmptyDirectory();
  }

  /** In the words of the original FDT. */
  private Outcome coordinate(String... options) {
    List<String> words = new ArrayList<>(List.of(options));
    words.addAll(List.of("--accept-new", "-coord"));
    words.addAll(List.of("--source-token-file", homeOfSource.resolve("token").toString()));
    words.addAll(List.of("--token-file", homeOfDestination.resolve("token").toString()));
    return lab.runAt(homeOfClient, lab.root(), words.toArray(String[]::new));
  }

  private RunningCommand agent(Path home, Path directory) {
    RunningCommand agent =
        lab.startAt(
            home, directory, "-tp", "40001,40002", "-p", "0", "--bind", "127.0.0.1", "-agent");
    agent.port();
    return agent;
  }

  @Test
  void aCoordinatorOfTheOriginalCopiesBetweenTwoAgents() throws Exception {
    RunningCommand from = agent(homeOfSource, sources);
    RunningCommand to = agent(homeOfDestination, destinations);
    String source = Integer.toString(from.port());
    String destination = Integer.toString(to.port());
    Files.writeString(lab.root().resolve("list"), "/run/f\n/run/sub/g / other/h\n");
    List<String> hosts =
        List.of("-dIP", "127.0.0.1", "-dp", destination, "-sIP", "127.0.0.1", "-p", source);

    List<String> listed = new ArrayList<>(hosts);
    listed.addAll(List.of("-d", "/there", "-fl", "list"));
    assertThat(coordinate(listed.toArray(String[]::new)).expect(0).summary())
        .startsWith("done: 2 files");

    assertThat(Tree.beneath(destinations.resolve("there")))
        .containsOnlyKeys("f", "other", "other/h");
    assertThat(from.err()).contains("-tp is without effect on a server: all connections use one");
    List<String> tree = new ArrayList<>(hosts);
    tree.addAll(List.of("-d", "/tree", "-r", "/run"));
    coordinate(tree.toArray(String[]::new)).expect(0);
    Tree.assertSame(destinations.resolve("tree/run"), sources.resolve("run"));
    List<String> missing = new ArrayList<>(hosts);
    missing.addAll(List.of("-d", "/tree", "/none"));
    assertThat(coordinate(missing.toArray(String[]::new)).expect(1).err()).contains("none");
  }

  @Test
  void whatTheOriginalsWordsLackIsSaidAtOnce() {
    assertThat(coordinate("-sIP", "a", "-d", "/x", "/f").expect(2).err())
        .contains("-coord needs -sIP HOST, -dIP HOST and -d DEST");
    assertThat(coordinate("-sIP", "a", "-dIP", "b", "-d", "/x").expect(2).err())
        .contains("nothing to do");
    assertThat(coordinate("-c", "a", "/f").expect(2).err())
        .contains("-c cannot be combined with -coord");
    assertThat(lab.run(lab.root(), "-c", "a", "-sIP", "b", "/f").expect(2).err())
        .contains("-sIP needs -coord");
    assertThat(lab.run(lab.root(), "-tp", "1,2").expect(2).err()).contains("-tp needs -agent");
  }

  @Test
  void aRangeThatIsNoneIsAnErrorAtOnce() {
    Outcome outcome = lab.run(lab.root(), "serve", ".", "--dial-to", "example.org").expect(2);

    assertThat(outcome.err())
        .contains("--dial-to: 'example.org' is neither an address nor a range");
  }
}
