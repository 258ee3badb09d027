package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of the original FDT type, and get. */
class FdtCommandTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension final Lab lab = new Lab();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-P 1 -bs 64K -rCount 1",
        "-P 4 -bs 1M -wCount 4",
        "-P 7",
        "-P 32 -bs 16M -rCount 8 -wCount 2",
        "-P 3 -bs 4K -ss 256K",
      })
  void pullsATreeIntoTheWorkingDirectoryWithAnySettings(String options) {
    Path data = lab.directory("data");
    makeFilesAroundBlockSizes(data);
    RunningCommand server = lab.serve("--export", data.toString());
    Path here = lab.directory("here");

    Outcome outcome = client(server, here, options + " -r /data").expect(0);

    Tree.assertSame(here.resolve("data"), data);
    assertThat(outcome.summary()).startsWith("done: 13 files, ").endsWith("all verified (crc32c)");
    assertThat(outcome.problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-P 1 -bs 64K", "-P 7 -wCount 3", "-P 32 -bs 16M -ss 1M"})
  void pushesATreeWithAnySettings(String options) {
    Path data = lab.directory("data");
    makeFilesAroundBlockSizes(data);
    Path incoming = lab.directory("incoming");
    RunningCommand server = lab.serve("--export", incoming + ":rw");

    client(server, lab.root(), options + " -r -d /incoming/new data").expect(0);

    Tree.assertSame(incoming.resolve("new/data"), data);
  }

  @Test
  void aServerListensOnTheAddressThatIsGiven() {
    lab.directory("data");
    RunningCommand server = lab.start(lab.root(), "-p", "0", "--bind", "127.0.0.1");
    int port = server.port();

    assertThat(server.out())
        .contains("on port " + port + " of 127.0.0.1\n")
        .contains("fetch as the same user of this machine:  java -jar fdt.jar -c 127.0.0.1 -p ")
        .doesNotContain("another machine");
  }

  @Test
  void destinationOfDIsADirectoryAlsoWhereNoneIs() {
    Content.write(lab.root().resolve("data/a"), 10, 1);
    Content.write(lab.root().resolve("data/b"), 20, 2);
    RunningCommand server = lab.serve("--export", "data:rw");

    client(server, lab.root(), "-pull -d x/y /data/a").expect(0);
    client(server, lab.root(), "-pull -d x/y /data/a /data/b").expect(0);
    client(server, lab.root(), "-d /data/pushed x/y/a x/y/b").expect(0);

    assertThat(Tree.beneath(lab.root().resolve("x/y"))).containsOnlyKeys("a", "b");
    assertThat(Tree.beneath(lab.root().resolve("data/pushed")))
        .isEqualTo(Tree.beneath(lab.root().resolve("x/y")));
  }

  @Test
  void listsOfFilesGiveOtherNames() {
    Shell.run(
        lab.directory("data"),
        """
        mkdir -p d/e; printf a > a; printf b > 'b c'; printf e > d/e/f; printf x > $'\\xff'
        touch -d '2001-01-01 00:00:00.5' *
        """);
    Shell.run(
        lab.root(),
        """
        { printf '# a comment\\n\\n/data/a\\n'
          printf '/data/b c / deep/er/renamed b\\n'
          printf '/data/d / other\\n'
          printf '/data/\\xff / \\xfe\\n'; } > list
        """);
    RunningCommand server = lab.serve("--export", "data:rw");

    client(server, lab.directory("one"), "-r -fl ../list").expect(0);
    lab.runWords(
            lab.directory("two"),
            "-c 127.0.0.1 -p " + server.port() + " -r -pull -d into -fl - < ../list")
        .expect(0);

    assertThat(Tree.beneath(lab.root().resolve("one")))
        .containsOnlyKeys(
            "a", "deep", "deep/er", "deep/er/renamed b", "other", "other/e", "other/e/f", "þ");
    assertThat(lab.root().resolve("one/deep/er/renamed b")).hasContent("b");
    assertThat(Tree.beneath(lab.root().resolve("two/into")).keySet())
        .isEqualTo(Tree.beneath(lab.root().resolve("one")).keySet());
  }

  @Test
  void listsMayEndTheirEntriesWithNulInBothDirections() {
    Shell.run(
        lab.root(),
        """
        mkdir in out; cd out; printf 1 > $'a\nb'; printf 2 > '#c'; printf 3 > d
        find . -name '*[b#c]*' -type f -print0 > ../push; printf 'd / e/f\\0' >> ../push
        printf '/in/a\nb\\0/in/#c / g\\0' > ../pull
        """);
    RunningCommand server = lab.serve("--export", "in:rw");

    client(server, lab.root().resolve("out"), "-d /in -0 -fl ../push").expect(0);
    client(server, lab.directory("pulled"), "--null --files-from ../pull").expect(0);

    assertThat(Tree.beneath(lab.root().resolve("in"))).containsOnlyKeys("a\nb", "#c", "e", "e/f");
    assertThat(Tree.beneath(lab.root().resolve("pulled"))).containsOnlyKeys("a\nb", "g");
  }

  @Test
  void listsOfFilesWorkForAPushToo() {
    Shell.run(lab.root(), "mkdir in; printf a > a; printf 'a / b/c\\na\\n' > list");
    RunningCommand server = lab.serve("--export", "in:rw");

    client(server, lab.root(), "-d /in -fl list").expect(0);

    assertThat(Tree.beneath(lab.root().resolve("in"))).containsOnlyKeys("a", "b", "b/c");
  }

  @Test
  void showsWhatADirectoryHolds() {
    Shell.run(
        lab.directory("data"),
        """
        mkdir sub; printf 12345 > $'new\\nline'; ln -s ../elsewhere link; mkfifo fifo; printf x > $'\\xff'
        chmod 640 *line; chmod 751 sub
        touch -d '2001-02-03 04:05:06 UTC' sub *line; touch -hd '2001-02-03 04:05:06 UTC' link
        """);
    RunningCommand server = lab.serve("--export", "data");

    Outcome detailed = client(server, lab.root(), "-ls /data").expect(0);
    Outcome names = lab.run(lab.root(), "ls", url(server) + "data").expect(0);
    Outcome exports = lab.run(lab.root(), "ls", url(server)).expect(0);

    assertThat(names.out().lines()).containsExactly("fifo", "link", "new\\nline", "sub/", "\\xff");
    assertThat(detailed.out())
        .contains("-rw-r----- ")
        .containsPattern(" +5 +2001-02-0[234] \\d\\d:\\d\\d:06 +new\\\\nline\n")
        .containsPattern("drwxr-x--x +\\d+ +2001-02-0[234] \\d\\d:\\d\\d:06 +sub/\n")
        .contains("link -> ../elsewhere\n")
        .containsPattern("(?m)^prw.* fifo$");
    assertThat(exports.out()).isEqualTo("data/\n");
    Outcome missing = client(server, lab.root(), "-ls /data/none").expect(1);
    assertThat(missing.problems()).singleElement().asString().contains("/data/none");
  }

  @Test
  void measuresTheNetworkInBothDirections() {
    RunningCommand server = lab.serve("--export", lab.directory("empty") + ":ro");

    Outcome push = client(server, lab.root(), "-nettest --seconds 1 -P 2").expect(0);
    Outcome pull = client(server, lab.root(), "-nettest -pull --seconds 1 -P 3 -bs 256K").expect(0);

    String figures =
        "nettest: [12]\\.\\d s, [\\d.]+ [KMG]iB, [\\d.]+ [KMG]iB/s \\([\\d.]+ [kMG]bit/s\\), ";
    assertThat(push.summary()).matches(figures + "2 streams, push(, limited by .*)?");
    assertThat(pull.summary()).matches(figures + "3 streams, pull(, limited by .*)?");
    assertThat(Tree.beneath(lab.root().resolve("empty"))).isEmpty();
  }

  @Test
  void limitIsKept() {
    Path file = Content.write(lab.root().resolve("data/file"), 6 * MIB, 1);
    RunningCommand server = lab.serve("--export", "data:rw");

    Outcome pull = client(server, lab.directory("a"), "-limit 24Mbit/s /data/file").expect(0);
    Outcome push = client(server, lab.root(), "-limit 24Mbit/s -d /data/b a/file").expect(0);

    // 6 MiB at 3 MB/s; the first block of 1 MiB is free.
    Duration least = Duration.ofMillis(5 * MIB / 3000);
    assertThat(pull.elapsed()).isGreaterThan(least);
    assertThat(push.elapsed()).isGreaterThan(least);
    Content.assertSame(lab.root().resolve("data/b/file"), file);
  }

  @Test
  void serverEndsAfterItsLastClient() {
    Content.write(lab.root().resolve("data/file"), 10, 1);
    RunningCommand server = lab.start(lab.root().resolve("data"), "-p", "0", "-S");
    server.port();

    client(server, lab.directory("here"), "/file").expect(0);

    server.end(Duration.ofSeconds(20)).expect(0);
  }

  @Test
  void serverWithoutOptionsExposesItsDirectoryAndSaysHowToConnect() {
    Path data = lab.directory("data");
    CommandProcess server = lab.startProcess(data, "-p", "0");
    int port = server.port();
    Content.write(lab.root().resolve("file"), 10, 1);

    client(server, lab.root(), "-d / file").expect(0);
    server.signal("TERM");
    Outcome end = server.end(Duration.ofSeconds(20)).expect(0);

    Content.assertSame(data.resolve("file"), lab.root().resolve("file"));
    assertThat(end.out())
        .contains("exposing ", "read-write", "java -jar fdt.jar -c ", " -p " + port + " ", " -r /");
    assertThat(end.out().lines().filter(line -> line.startsWith("READY"))).hasSize(1);
    assertThat(end.err()).contains("server started port=" + port + " address=all exports=");
  }

  private Outcome client(RunningCommand server, Path directory, String words) {
    List<String> arguments =
        new ArrayList<>(List.of("-c", "127.0.0.1", "-p", Integer.toString(server.port())));
    arguments.addAll(Arrays.asList(words.split(" ")));
    return lab.run(directory, arguments.toArray(String[]::new));
  }

  private static String url(RunningCommand server) {
    return "fdt://127.0.0.1:" + server.port() + "/";
  }

  /**
   * 13 files of one byte less, as many, and one more than a block, a quarter of it, and other
   * limits.
   */
  static void makeFilesAroundBlockSizes(Path directory) {
    long seed = 0;
    for (long size : new long[] {16 << 10, 64 << 10, 256 << 10, MIB}) {
      for (long delta = -1; delta <= 1; delta++) {
        Content.write(directory.resolve("sub/" + (size + delta)), size + delta, seed++);
      }
    }
    Content.write(directory.resolve("large"), 20L * MIB + 4321, seed);
  }
}
