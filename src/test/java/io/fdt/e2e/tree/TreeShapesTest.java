package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trees that break copiers arrive as they are, in both directions. */
class TreeShapesTest {
  private static final String NAMES =
      """
      long=$(printf 'n%.0s' $(seq 255))
      printf 1 > "$long"; mkdir "d${long:1}"; printf 2 > "d${long:1}/$long"
      for name in $'new\\nline' ' ' '  blanks  ' -rf --help '*' '?' '[a]' '\\' "'" '"' '$HOME' '`id`' \\
          '~' '#x' 'a b / c'x 'a:b' '...' '.hidden' '%41' $'\\xff\\xfe' $'\\xc3' $'\\xed\\xa0\\x80' $'\\xc0\\xaf' \\
          $'\\x01\\x02\\x1b[31m' $'\\x7f' $'tab\\t' $'\\r' $'gr\\xc3\\xb6\\xc3\\x9fe' $'\\xe6\\xb8\\xac\\xe5\\xae\\x9a' \\
          $'\\xf0\\x9f\\x98\\x80' $'e\\xcc\\x81' $'\\xc3\\xa9' NUL con 'nul.' .fdt-0123.part; do
        name=${name//\\//_}
        printf '%s' "$name" > "./file-$name" ; mkdir "./$name"; printf x > "./$name/$name"
        ln -s -- "./$name/$name" "./link-$name"
      done
      """;

  private static final String KINDS =
      """
      mkdir -p empty a/b/c/empty; : > zero; : > a/zero; printf x > a/one
      ln -s zero relative; ln -s nowhere dangling; ln -s a/b directory; ln -s /etc/passwd absolute; ln -s . self; ln -s loop loop
      ln -s "$(printf 'x/%.0s' $(seq 2000))x" long; ln -s $'\\xff\\n' bytes
      printf hard > hard1; ln hard1 hard2
      printf m > m0400; chmod 0400 m0400; printf m > m0755; chmod 0755 m0755; printf m > m0666; chmod 0666 m0666
      mkdir d0500 d0777; printf x > d0500/f; chmod 0500 d0500; printf x > d0777/f; chmod 0777 d0777
      for t in '2001-02-03 04:05:06.123456789' '1970-01-01 00:00:00.000000001' '1969-12-31 23:59:58' '1901-12-14 00:00:00' \\
          '2038-01-19 03:14:08.999999999' '2106-02-07 06:28:17'; do
        printf t > "t $t"; touch -d "$t UTC" "t $t"; mkdir "d $t"; printf x > "d $t/f"; touch -d "$t UTC" "d $t/f" "d $t"
      done
      """;

  private static final String AS_ROOT =
      """
      printf m > m0000; chmod 0000 m0000; mkdir d0000; printf x > d0000/f; chmod 0000 d0000
      """;

  @RegisterExtension final Lab lab = new Lab();

  @ParameterizedTest
  @ValueSource(strings = {"C.UTF-8", "POSIX"})
  void namesArriveAsTheyAreInEveryLocale(String locale) {
    lab.locale(locale);
    roundTrip(NAMES);
  }

  @Test
  void aCopyIntoItsOwnSourceIsRefused() {
    Path top = lab.directory("top/a/b");
    Shell.run(top, "printf 1 > file; mkdir -p ../into; ln -s top/a ../../../link");
    RunningCommand server = lab.serve("--export", "top=" + lab.root().resolve("top") + ":rw");
    RunningCommand other = lab.serve("--export", "a=" + lab.root().resolve("top/a") + ":rw");
    String at = "fdt://127.0.0.1:" + server.port();
    String to = "fdt://127.0.0.1:" + other.port() + "/a/into";
    for (List<String> operands :
        List.of(
            List.of("top/", at + "/top/a/into"),
            List.of("link/", to),
            List.of("top/a", at + "/top/a"),
            List.of("top/a/", at + "/top/a/new"),
            List.of(at + "/top", "top/a/into"),
            List.of(at + "/top", "top/new/er"),
            List.of("link/", to + "/new"),
            List.of("top/a", "link", at + "/top/a/new/"),
            List.of(at + "/top/", to))) {
      for (String run : List.of("-rn", "-r")) {
        List<String> line = new ArrayList<>(List.of("copy", run));
        line.addAll(operands);
        assertThat(lab.run(lab.root(), line.toArray(String[]::new)).expect(2).err())
            .contains("is in the source that is copied to it");
      }
    }
    assertThat(new String(Shell.run(lab.root(), "find top | sort"), StandardCharsets.UTF_8))
        .isEqualTo("top\ntop/a\ntop/a/b\ntop/a/b/file\ntop/a/into\n");

    lab.run(lab.root(), "copy", "-r", "--exclude", "/a/into", "top/", to).expect(0);
    assertThat(lab.root().resolve("top/a/into/a/b/file")).hasContent("1");
    assertThat(lab.root().resolve("top/a/into/a/into")).doesNotExist();
    lab.run(lab.root(), "copy", "-r", "top/a/b/", at + "/top/a/b").expect(0);
  }

  @Test
  void aFileWithAColonInItsNameIsNamedAsItMustBeWritten() throws Exception {
    String name = "host.invalid:file";
    Files.writeString(lab.root().resolve(name), "x");
    String hint =
        "'%s' is read as a path on the host 'host.invalid'; to name the file here write './%s'"
            .formatted(name, name);
    for (String[] line :
        new String[][] {
          {"copy", name, "other.invalid:/d"},
          {"copy", name, "."},
          {"copy", ".", name},
          {"ls", name}
        }) {
      assertThat(lab.run(lab.root(), line).expect(3).err()).contains(hint);
    }
    assertThat(lab.run(lab.root(), "copy", "host.invalid:other", ".").expect(3).err())
        .doesNotContain("is read as");
  }

  @Test
  void aPathThatLeadsUpIsShownAsItWasTyped() {
    Path data = lab.directory("data");
    Shell.run(data, "mkdir sub; printf 1 > file");
    String at = "fdt://127.0.0.1:" + lab.serve("--export", data + ":rw").port();
    String path = "/data/sub/../file";
    for (String[] line :
        new String[][] {
          {"copy", at + path, "."},
          {"copy", "data/file", at + path},
          {"ls", at + path},
          {"stat", at + path},
          {"rm", at + path},
          {"checksum", at + path}
        }) {
      assertThat(lab.run(lab.root(), line).expect(4).err())
          .contains("'..' is not allowed in '" + path + "'");
    }
  }

  @Test
  void aFifoAloneIsAFailureByName() {
    Path source = lab.directory("fifos");
    Shell.run(source, "mkfifo fifo; printf 1 > file");
    RunningCommand server = lab.serve("--export", source + ":rw");
    String at = "fdt://127.0.0.1:" + server.port() + "/fifos/";

    for (String[] line :
        new String[][] {
          {"copy", "fifos/fifo", at + "new"},
          {"copy", at + "fifo", "new"},
          {"copy", at + "fifo", "-"},
          {"copy", "--dry-run", at + "fifo", "new"}
        }) {
      Outcome failed = lab.run(lab.root(), line).expect(1);
      assertThat(failed.err()).contains("fifo' is a device, socket or FIFO, which is not copied");
    }
    lab.run(lab.root(), "copy", at + "fifo", at + "file", "new/").expect(0);
  }

  @Test
  void aFifoOrDeviceThatIsNamedAsTheDestinationStays() {
    Path data = lab.directory("data");
    Shell.run(data, "printf 1 > file; mkfifo fifo; ln -s fifo link; ln -s /proc/self/fd/1 stdout");
    RunningCommand server = lab.serve("--export", data + ":rw");
    String at = "fdt://127.0.0.1:" + server.port() + "/data/";

    for (String[] line :
        new String[][] {
          {"copy", at + "file", "data/fifo"},
          {"copy", "--dry-run", at + "file", "data/fifo"},
          {"copy", at + "file", "data/link"},
          {"copy", at + "file", "data/stdout"},
          {"copy", "data/file", at + "fifo"},
          {"copy", "--dry-run", "data/file", at + "fifo"}
        }) {
      Outcome failed = lab.run(lab.root(), line).expect(1);
      assertThat(failed.err()).contains("' is a device, socket or FIFO, which no file replaces");
    }
    assertThat(
            new String(
                Shell.run(data, "find . ! -type d -printf '%f %y\\n' | sort"),
                StandardCharsets.UTF_8))
        .isEqualTo("fifo p\nfile f\nlink l\nstdout l\n");
  }

  /** As rsync does without --devices. */
  @Test
  void withinATreeAFileOrLinkReplacesAFifo() {
    Path data = lab.directory("data");
    Shell.run(data, "mkdir source push pull; cd source; echo x > file; ln -s file link");
    Shell.run(data, "mkfifo push/file push/link pull/file pull/link");
    if (Nobody.isRoot()) {
      Shell.run(data, "for at in push pull; do echo x > source/null; mknod $at/null c 1 3; done");
    }
    String at = "fdt://127.0.0.1:" + lab.serve("--export", data + ":rw").port() + "/data/";

    lab.run(data, "copy", "-r", "source/", at + "push/").expect(0);
    lab.run(data, "copy", "-r", at + "source/", "pull/").expect(0);

    Tree.assertSame(data.resolve("push"), data.resolve("source"));
    Tree.assertSame(data.resolve("pull"), data.resolve("source"));
  }

  @Test
  void aUserWithoutAHomeGetsNoDirectoryOfAQuestionMark() {
    Path data = lab.directory("data");
    Path here = lab.directory("here");
    Shell.run(data, "printf 1 > file");
    RunningCommand server = lab.serve("--export", "data");

    lab.environment("JAVA_TOOL_OPTIONS", "-Duser.home=?"); // as Java has it for an unknown number
    lab.run(here, "copy", "fdt://127.0.0.1:" + server.port() + "/data/file", ".").expect(0);
    assertThat(here.resolve("file")).hasContent("1");
    assertThat(here.resolve("?")).doesNotExist();
  }

  @Test
  void kindsModesAndTimesArrive() {
    roundTrip(Nobody.isRoot() ? KINDS + AS_ROOT : KINDS);
  }

  @Test
  void fractionsOfSecondsBefore1970Arrive() {
    roundTrip("for n in f d; do mkdir $n; touch -d '1969-12-31 23:59:58.5 UTC' $n/f $n; done");
  }

  @Test
  void targetsOfLinksKeepTheirSlashes() {
    roundTrip("mkdir d; echo x > d/f; ln -s d/ end; ln -s d//x double; ln -s / root");
  }

  @Test
  void linksAndDirectoriesAreCountedWhereThereAreNoFiles() {
    Path data = lab.directory("data");
    Shell.run(data, "mkdir a; ln -s x a/one; ln -s y two");
    RunningCommand server = lab.serve("--export", "data");
    Path here = lab.directory("here");

    assertThat(pull(server, "data", here).expect(0).summary()).matches("done: 2 links in .*");
    assertThat(pull(server, "data", here).expect(0).summary()).matches("done: 2 directories in .*");
    Shell.run(data, "echo x > a/f; ln -s z three");
    assertThat(pull(server, "data", here).expect(0).summary())
        .matches("done: 1 file, 2 B in .*, made 1 link, all verified .*");
    Shell.run(data, "ln -sf w three");
    assertThat(pull(server, "data", here).expect(0).summary())
        .matches("done: 1 link in .*, 1 unchanged by size and time");
    assertThat(pull(server, "data", here).expect(0).summary())
        .matches("done: 0 files, 0 B in .*, 1 unchanged by size and time");
  }

  @Test
  void aDeepTreeArrives() {
    roundTrip("for i in $(seq 200); do mkdir d$i; printf $i > f$i; cd d$i; done");
  }

  @Test
  void thousandsOfSmallFilesArrive() {
    roundTrip(
        """
        for d in $(seq 20); do mkdir $d; for f in $(seq 100); do printf '%0*d' $(((d * f * 37) % 5000)) $f > $d/$f; done; done
        """);
  }

  @Test
  void namesOfOperandsAreBytesInEveryLocale() {
    Shell.run(
        lab.directory("data"),
        "mkdir $'d\\xff'; printf 1 > $'d\\xff/\\xfe'; printf 2 > $'\\n"
            + "-\\xc3'; mkdir $'gr\\xc3\\xb6'");
    RunningCommand server = lab.serve("--export", "data:rw");
    String client = "-c 127.0.0.1 -p " + server.port();

    for (String locale : new String[] {"C.UTF-8", "POSIX"}) {
      lab.locale(locale);
      Path here = lab.directory(locale);
      lab.runWords(here, client + " -r /data/$'d\\xff' /data/$'\\n-\\xc3' /data/$'gr\\xc3\\xb6'")
          .expect(0);
      assertThat(Tree.beneath(here)).isEqualTo(Tree.beneath(lab.root().resolve("data")));
      lab.runWords(here, "copy -r $'d\\xff/' fdt://127.0.0.1:" + server.port() + "/data/new%ff")
          .expect(0);
      Map<String, String> data = Tree.beneath(lab.root().resolve("data"));
      assertThat(data).containsKey("newÿ/þ");
      Shell.run(lab.root().resolve("data"), "rm -r $'new\\xff'; touch -r ../" + locale + " .");
    }
  }

  @Test
  void specialFilesAreSkippedAndNamedAndNeverOpened() {
    Path data = lab.directory("data");
    Shell.run(
        data,
        """
        printf x > file; mkfifo fifo $'fifo\\n2'; mkdir sub; mkfifo sub/fifo
        """);
    boolean devices = Nobody.isRoot();
    if (devices) {
      Shell.run(data, "mknod null c 1 3; mknod block b 7 99");
    }
    RunningCommand server = lab.serve("--export", "data", "--export", lab.directory("in") + ":rw");

    Outcome pull = pull(server, "data", lab.directory("here")).expect(0);
    Outcome push = push(server, data).expect(0);

    String skipped = devices ? ", 5 skipped" : ", 3 skipped";
    for (Outcome outcome : new Outcome[] {pull, push}) {
      assertThat(outcome.summary()).contains("done: 1 file, 1 B").contains(skipped);
      assertThat(outcome.err()).contains("data/fifo:", "data/fifo\\n2:", "data/sub/fifo:");
      assertThat(outcome.problems()).hasSize(devices ? 5 : 3);
    }
    assertThat(Tree.beneath(lab.root().resolve("here/data"))).containsOnlyKeys("file", "sub");
    assertThat(Tree.beneath(lab.root().resolve("in/data"))).containsOnlyKeys("file", "sub");
  }

  @Test
  void socketsAreSkipped() throws Exception {
    Path data = lab.directory("data");
    try (var channel =
        java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
      channel.bind(java.net.UnixDomainSocketAddress.of(data.resolve("socket")));
      RunningCommand server = lab.serve("--export", "data");

      Outcome pull = pull(server, "data", lab.directory("here")).expect(0);

      assertThat(pull.summary()).contains(", 1 skipped");
      assertThat(pull.problems()).singleElement().asString().contains("data/socket");
    }
  }

  @Test
  void hardLinksArriveAsFilesOfTheirOwn() throws Exception {
    Shell.run(lab.directory("data"), "printf hard > a; ln a b");
    RunningCommand server = lab.serve("--export", "data");

    pull(server, "data", lab.directory("here")).expect(0);

    Path copy = lab.root().resolve("here/data");
    Tree.assertSame(copy, lab.root().resolve("data"));
    assertThat(Files.isSameFile(copy.resolve("a"), copy.resolve("b"))).isFalse();
  }

  /** A hole arrives as zeros, and the size is right. */
  @Test
  void sparseFilesArrive() {
    Shell.run(
        lab.directory("data"), "truncate -s 30M hole; printf end >> hole; truncate -s 5M all-hole");
    RunningCommand server = lab.serve("--export", "data");

    pull(server, "data", lab.directory("here")).expect(0);

    Tree.assertSame(lab.root().resolve("here/data"), lab.root().resolve("data"));
  }

  @Test
  void linksAreReplacedAndNeverFollowedAtTheDestination() {
    Shell.run(
        lab.root(),
        "mkdir -p data/sub here/data outside; printf new > data/f; printf y > data/sub/g");
    Shell.run(lab.root(), "printf old > outside/f; ln -s ../../outside/f here/data/f");
    RunningCommand server = lab.serve("--export", "data");

    pull(server, "data", lab.root().resolve("here")).expect(0);

    Tree.assertSame(lab.root().resolve("here/data"), lab.root().resolve("data"));
    assertThat(lab.root().resolve("outside/f")).hasContent("old");
  }

  /**
   * Makes a tree, pulls it, pushes the copy, and compares all three; then both again, which must
   * move nothing.
   */
  private void roundTrip(String script) {
    Path data = lab.directory("data");
    Shell.run(data, script);
    RunningCommand server = lab.serve("--export", "data", "--export", lab.directory("in") + ":rw");
    Path here = lab.directory("here");
    for (int run = 1; run <= 2; run++) {
      Outcome pull = pull(server, "data", here).expect(0);
      Outcome push = push(server, here.resolve("data")).expect(0);

      Tree.assertSame(here.resolve("data"), data);
      Tree.assertSame(lab.root().resolve("in/data"), data);
      assertThat(pull.problems()).isEmpty(); // a slow machine shows progress, too
      if (run == 2) {
        assertThat(pull.summary()).startsWith("done: 0 files, 0 B");
        assertThat(push.summary()).startsWith("done: 0 files, 0 B");
      }
    }
  }

  private Outcome pull(RunningCommand server, String name, Path here) {
    String port = Integer.toString(server.port());
    return lab.run(here, "-c", "127.0.0.1", "-p", port, "-r", "/" + name);
  }

  private Outcome push(RunningCommand server, Path directory) {
    String port = Integer.toString(server.port());
    String name = directory.getFileName().toString();
    return lab.run(directory.getParent(), "-c", "127.0.0.1", "-p", port, "-r", "-d", "/in", name);
  }
}
