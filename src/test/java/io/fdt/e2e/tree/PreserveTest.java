package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import io.fdt.e2e.Xattrs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is kept of files besides names and bytes, in both directions, three directories down. */
class PreserveTest {
  /** An access list: of the owner rw-, of user 4711 rwx, of the group r--, mask rwx, others ---. */
  private static final String ACCESS_LIST =
      "02000000"
          + "01000600ffffffff"
          + "0200070067120000"
          + "04000400ffffffff"
          + "10000700ffffffff"
          + "20000000ffffffff";

  @RegisterExtension final Lab lab = new Lab();

  @ParameterizedTest
  @ValueSource(strings = {"crc32c", "xxh3", "blake3", "sha256", "none"})
  void holesAreNotSentAndStayHoles(String checksum) {
    Path source = sparseTree();
    List<String> options = new ArrayList<>(List.of("--checksum", checksum));
    if (!checksum.equals("none")) {
      options.add("--verify");
    }

    for (Path copy : copies(source, options)) {
      Tree.assertSame(copy, source);
      assertThat(blocks(copy)).isEqualTo(blocks(source));
    }
  }

  @Test
  void aSparseFileMovesWhatItHolds() {
    Path source = lab.directory("source");
    Shell.run(
        source,
        """
        mkdir -p a/b/c; cd a/b/c; truncate -s 300M f
        head -c 1000 /dev/urandom | dd of=f conv=notrunc status=none
        head -c 4000 /dev/urandom | dd of=f bs=1 seek=157286400 conv=notrunc status=none
        """);
    RunningCommand server = lab.serve("--export", source.toString());

    Outcome outcome = pull(server, lab.directory("pulled"), List.of());

    assertThat(outcome.summary()).matches("done: 1 file, [0-9.]+ KiB .*");
    assertThat(blocks(lab.root().resolve("pulled"))).isEqualTo(blocks(source));
  }

  @Test
  void holesAreSentAndSpaceIsReservedWhenThatIsAskedFor() {
    Path source = sparseTree();
    for (Path copy : copies(source, List.of("--no-sparse"))) {
      Tree.assertSame(copy, source);
      assertThat(blocks(copy)).isNotEqualTo(blocks(source));
    }
  }

  /** No file has more pieces than a file system notes without a block of its own. */
  private Path sparseTree() {
    Path source = lab.directory("source");
    Shell.run(
        source,
        """
        mkdir -p a/b/c; cd a/b/c
        truncate -s 40M all; truncate -s 40000 small; printf x > tiny
        truncate -s 20M end; printf start | dd of=end conv=notrunc status=none
        truncate -s 6000000 start; head -c 70000 /dev/urandom >> start
        truncate -s 30M middle; for at in 0 9 29; do
          head -c 100000 /dev/urandom | dd of=middle bs=1M seek=$at conv=notrunc status=none; done
        """);
    return source;
  }

  /** Holes count as what is there already, and what the first run has written is not sent again. */
  @Test
  void anInterruptedSparseFileGoesOnAndKeepsItsHoles() {
    Path source = lab.directory("source");
    Shell.run(
        source,
        """
        mkdir -p a/b/c; cd a/b/c; truncate -s 300M f; for at in 1 100 200; do
          head -c 16M /dev/urandom | dd of=f bs=1M seek=$at conv=notrunc status=none; done
        """);
    RunningCommand server = lab.serve("--export", source.toString());
    Path copy = lab.directory("pulled");
    String remote = "fdt://127.0.0.1:" + server.port() + "/source/";
    CommandProcess client =
        lab.startProcess(lab.root(), "copy", "-r", "-limit", "16Mbit/s", remote, "pulled/");
    Lab.awaitUnfinished(copy, 8);
    client.signal("KILL");
    client.end();

    Outcome outcome = pull(server, copy, List.of());

    assertThat(outcome.summary()).startsWith("done: 1 file, ").doesNotContain(" 48.0 MiB");
    Tree.assertSame(copy, source);
    assertThat(blocks(copy)).isEqualTo(blocks(source));
  }

  @Test
  void severalNamesOfAFileStayTogether() {
    Path source = lab.directory("source");
    Shell.run(
        source,
        """
        mkdir -p a/b/c a/d; cd a/b/c; printf small > s1; ln s1 s2; ln s1 ../../d/s3; : > e1; ln e1 e2
        head -c 6000000 /dev/urandom > l1; ln l1 l2; ln l1 ../l3; printf alone > alone
        """);
    for (Path copy : copies(source, List.of("--hard-links"))) {
      Tree.assertSame(copy, source);
      assertThat(names(copy)).isEqualTo(names(source));
    }
  }

  /** Of what is there already nothing moves, and names that fell apart come together again. */
  @Test
  void namesAreLinkedAgainWithoutMovingAnything() {
    Path source = lab.directory("source");
    Shell.run(source, "mkdir -p a/b/c; cd a/b/c; head -c 6000000 /dev/urandom > f; ln f g; ln f h");
    RunningCommand server = lab.serve("--export", source.toString());
    Path copy = lab.directory("pulled");
    pull(server, copy, List.of());
    Shell.run(
        copy,
        """
        set -- $(cd ../source/a/b/c; ls -U); cd a/b/c; rm $2 $3; cp -p $1 $2
        """);

    Outcome dry = pull(server, copy, List.of("--hard-links", "--dry-run"));
    assertThat(names(copy)).isNotEqualTo(names(source));
    Outcome outcome = pull(server, copy, List.of("--hard-links"));

    assertThat(dry.summary()).contains("2 files (1 new, 1 changed), 0 B");
    assertThat(outcome.summary()).contains("2 files, 0 B");
    assertThat(names(copy)).isEqualTo(names(source));
    Tree.assertSame(copy, source);
  }

  /** The first name cannot have its place: the next one moves the bytes. */
  @Test
  void aFileWhoseFirstNameFailsArrivesUnderTheNext() {
    Path source = lab.directory("source");
    Shell.run(source, "mkdir -p a/b/c; cd a/b/c; printf hard > f; ln f g; ln f h");
    Path copy = lab.directory("pulled");
    RunningCommand server = lab.serve("--export", source.toString());
    byte[] first = Shell.run(source, "cd a/b/c; ls -U | head -n 1");
    String name = new String(first, StandardCharsets.UTF_8).strip();
    Shell.run(copy, "mkdir -p a/b/c/" + name);

    Outcome outcome = copy(server, "source/", "pulled/", true, List.of("--hard-links")).expect(1);

    assertThat(outcome.problems())
        .singleElement()
        .asString()
        .contains("/" + name + "' is a directory");
    for (String other : List.of("f", "g", "h")) {
      if (!other.equals(name)) {
        assertThat(copy.resolve("a/b/c").resolve(other)).hasContent("hard");
      }
    }
  }

  @Test
  void extendedAttributesAndAccessListsArrive() {
    Path source = lab.directory("source");
    Shell.run(
        source,
        "mkdir -p a/b/c/d; cd a/b/c; printf x > f; head -c 5000000 /dev/zero > l; chmod 400 l; : >"
            + " e");
    byte[] list = HexFormat.of().parseHex(ACCESS_LIST);
    for (String file : List.of("a/b/c/f", "a/b/c/l", "a/b/c/d")) {
      Xattrs.set(source.resolve(file), "user.text", "värde".getBytes(StandardCharsets.UTF_8));
      Xattrs.set(source.resolve(file), "user.bytes", new byte[] {0, 1, (byte) 0xFF});
      Xattrs.set(source.resolve(file), "system.posix_acl_access", list);
    }
    Xattrs.set(source.resolve("a/b/c/d"), "system.posix_acl_default", list);
    Xattrs.set(source.resolve("a/b/c/e"), "user.empty", new byte[0]);
    Xattrs.set(source.resolve("a"), "user.large", new byte[1500]);

    for (Path copy : copies(source, List.of("--xattrs", "--acls"))) {
      Tree.assertSame(copy, source);
      for (String file : List.of("a", "a/b/c", "a/b/c/d", "a/b/c/f", "a/b/c/l", "a/b/c/e")) {
        assertThat(Xattrs.of(copy.resolve(file))).isEqualTo(Xattrs.of(source.resolve(file)));
      }
    }
    RunningCommand server = lab.serve("--export", source.toString());
    pull(server, lab.directory("without"), List.of());
    assertThat(Xattrs.of(lab.root().resolve("without/a/b/c/f"))).isEmpty();
  }

  @Test
  void aFileSystemWithoutAttributesIsNamedOnceAndTheFilesAreGood() {
    assumeTrue(Nobody.isRoot(), "only root can mount");
    Path source = lab.directory("source");
    Shell.run(source, "mkdir -p a/b/c; cd a/b/c; printf 1 > f; printf 2 > g");
    for (String file : List.of("f", "g")) {
      Xattrs.set(source.resolve("a/b/c").resolve(file), "user.x", new byte[] {1});
    }
    Path ram = lab.directory("pulled");
    Shell.run(ram, "mount -t ramfs none .");
    try {
      RunningCommand server = lab.serve("--export", source.toString());

      Outcome outcome = copy(server, "source/", "pulled/", true, List.of("--xattrs")).expect(1);

      assertThat(outcome.problems()).singleElement().asString().contains("user.x");
      Tree.assertSame(ram, source);
    } finally {
      Shell.run(lab.root(), "umount pulled");
    }
  }

  @Test
  void aSourceThatDoesNotReadAttributesSaysSoOnceIfTheyAreAskedFor() {
    Shell.run(lab.directory("source"), "echo x > a; echo y > b");
    RunningCommand server = lab.serve("--export", lab.directory("in") + ":rw");
    String to = "fdt://127.0.0.1:" + server.port() + "/in/";
    List<String> portable = List.of("-Dfdt.storage=portable");
    for (List<String> words : List.of(List.of("--xattrs", "--acls"), List.<String>of())) {
      List<String> line = new ArrayList<>(List.of("copy", "-r", "source/", to));
      line.addAll(words);

      String err = lab.startWithOptions(portable, line).end().expect(0).err();

      String notice = "the source does not read xattrs, acls\n";
      assertThat(err.split(notice, -1)).as("%s", err).hasSize(words.isEmpty() ? 1 : 2);
    }
  }

  @Test
  void ownersAndSpecialBitsArriveWhereBothEndsAllowThat() {
    assumeTrue(Nobody.isRoot(), "only root can change owners");
    Path source = lab.directory("source");
    Shell.run(
        source,
        """
        mkdir -p a/b/c; cd a/b/c; printf x > f; ln -s f l; printf y > s; chmod 4755 s
        chown -h 12:34 f l s; chmod u+s s; chown 56:78 .; chmod 3775 .
        """);
    List<String> options = List.of("--preserve", "mode,times,owner,special-bits");
    Path copy = lab.directory("pushed");
    RunningCommand careful = lab.serve("--export", source.toString(), "--export", copy + ":rw");

    Outcome refused = copy(careful, "source/", "pushed/", false, options).expect(4);

    assertThat(refused.problems()).singleElement().asString().contains("--allow-privileged");
    assertThat(Tree.beneath(copy)).isEmpty();

    RunningCommand server =
        lab.serve("--export", source.toString(), "--export", copy + ":rw", "--allow-privileged");
    Path pulled = lab.directory("pulled");
    copy(server, "source/", "pushed/", false, options).expect(0);
    copy(careful, "source/", "pulled/", true, options).expect(0);
    for (Path one : List.of(copy, pulled)) {
      assertThat(owners(one)).isEqualTo(owners(source));
    }
  }

  @Test
  void whoIsNotRootIsToldThatOwnersCannotBeSet() {
    Path source = lab.directory("source");
    Shell.run(source, "mkdir -p a/b/c; printf x > a/b/c/f");
    RunningCommand server = lab.serve("--export", source.toString());
    Path home = lab.directory("of-nobody");
    Shell.run(home, "chmod 777 .");

    Outcome outcome =
        lab.runAsNobody(
                home,
                "copy",
                "-r",
                "--owner",
                "fdt://127.0.0.1:" + server.port() + "/source/",
                "pulled/")
            .expect(1);

    assertThat(outcome.problems()).singleElement().asString().contains("only root can set owners");
    assertThat(Tree.beneath(home)).isEmpty();
  }

  @Test
  void nothingIsKeptWhenNothingIsAskedFor() {
    Path source = lab.directory("source");
    Shell.run(
        source,
        "umask 022; mkdir -p a/b/c; cd a/b/c; printf x > f; chmod 600 f; touch -d @1000 f; chmod"
            + " 700 .");
    for (Path copy : copiesOnce(source, List.of("--preserve", "none"))) {
      Shell.run(
          copy,
          """
          cd a/b/c; printf x > new; mkdir newd; [ -n "$(find f -newermt @2000)" ]
          [ $(stat -c %a f) = $(stat -c %a new) ]; [ $(stat -c %a .) = $(stat -c %a newd) ]
          """);
    }
  }

  @Test
  void linksAreFollowedBeneathTheSourceOnlyAndNeverInCircles() {
    Path source = linkTree();
    for (Path copy : copiesOnce(source, List.of("--links", "follow"))) {
      String found = listed(copy);
      assertThat(found)
          .isEqualTo(
              "a d|a/b d|a/b/c d|a/b/c/chain f|a/b/c/file f|a/b/c/todir d|a/b/c/todir/inner f"
                  + "|a/b/c/tofile f|a/d d|a/d/inner f|");
      assertThat(copy.resolve("a/b/c/tofile")).hasContent("content");
    }
  }

  @Test
  void linksAreLeftOutWhenThatIsAskedFor() {
    Path source = linkTree();
    for (Path copy : copiesOnce(source, List.of("--links", "skip"))) {
      assertThat(listed(copy)).isEqualTo("a d|a/b d|a/b/c d|a/b/c/file f|a/d d|a/d/inner f|");
    }
  }

  private Path linkTree() {
    Path source = lab.directory("source");
    Shell.run(
        source,
        """
        printf secret > ../secret; mkdir -p a/b/c a/d; printf inner > a/d/inner; cd a/b/c
        printf content > file; ln -s file tofile; ln -s ./tofile chain; ln -s ../../d todir; ln -s ../../.. up
        ln -s ../../../../secret out; ln -s /etc/passwd absolute
        """);
    return source;
  }

  private static String listed(Path directory) {
    return new String(
        Shell.run(directory, "find . -mindepth 1 -printf '%P %y|\\n' | sort | tr -d '\\n'"),
        StandardCharsets.UTF_8);
  }

  /** A push and a pull of a tree, and both again, which move nothing. */
  private List<Path> copies(Path source, List<String> options) {
    Path pushed = lab.directory("pushed");
    Path pulled = lab.directory("pulled");
    RunningCommand server = lab.serve("--export", source.toString(), "--export", pushed + ":rw");
    for (int run = 1; run <= 2; run++) {
      Outcome push = copy(server, "source/", "pushed/", false, options).expect(0);
      Outcome pull = pull(server, pulled, options);
      if (run == 2) {
        assertThat(push.summary()).startsWith("done: 0 files, 0 B");
        assertThat(pull.summary()).startsWith("done: 0 files, 0 B");
      }
    }
    return List.of(pushed, pulled);
  }

  /** A push and a pull of a tree. */
  private List<Path> copiesOnce(Path source, List<String> options) {
    Path pushed = lab.directory("pushed");
    Path pulled = lab.directory("pulled");
    RunningCommand server = lab.serve("--export", source.toString(), "--export", pushed + ":rw");
    copy(server, "source/", "pushed/", false, options).expect(0);
    pull(server, pulled, options);
    return List.of(pushed, pulled);
  }

  private Outcome pull(RunningCommand server, Path into, List<String> options) {
    return copy(server, "source/", into.getFileName() + "/", true, options).expect(0);
  }

  private Outcome copy(
      RunningCommand server, String from, String to, boolean pull, List<String> options) {
    String remote = "fdt://127.0.0.1:" + server.port() + "/";
    List<String> words = new ArrayList<>(List.of("copy", "-r"));
    words.addAll(options);
    words.addAll(pull ? List.of(remote + from, to) : List.of(from, remote + to));
    return lab.run(lab.root(), words.toArray(String[]::new));
  }

  /** What each file takes of its device. */
  private static String blocks(Path directory) {
    return found(directory, "-type f -printf '%P %s %b\\n'");
  }

  private static String owners(Path directory) {
    return found(directory, "-mindepth 1 -printf '%P %y %m %U:%G\\n'");
  }

  /** Which names are those of one file. */
  private static String names(Path directory) {
    return new String(
        Shell.run(
            directory,
            "find . -type f -printf '%i %n %P\\n' | sort -k 3"
                + " | awk '{ if (!($1 in n)) n[$1] = $3; print n[$1], $2, $3 }'"),
        StandardCharsets.UTF_8);
  }

  private static String found(Path directory, String what) {
    return new String(Shell.run(directory, "find . " + what + " | sort"), StandardCharsets.UTF_8);
  }
}
