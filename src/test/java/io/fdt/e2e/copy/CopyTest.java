package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The subcommand copy in all directions: where things arrive, and that a second run moves and nests
 * nothing.
 */
class CopyTest {
  private static final String SOURCES =
      """
      mkdir -p tree/sub/empty one/a two/b
      printf 1 > tree/f; printf 22 > tree/sub/g; printf 333 > plain; ln -s f tree/link
      printf 4444 > one/a/x; printf 55555 > two/b/y
      touch -d '2001-02-03 04:05:06.789012345' tree/f tree/sub plain
      touch -d '2002-03-04 05:06:07.000000001' tree/sub/empty tree one two
      chmod 750 tree; chmod 640 plain; chmod 711 tree/sub
      """;

  /** Where the sources and the destination are. */
  enum Way {
    PULL,
    PUSH,
    /** Both on a server. */
    BETWEEN
  }

  @RegisterExtension final Lab lab = new Lab();

  private Path sources;
  private Path destinations;

  @BeforeEach
  void makeSources() {
    sources = lab.directory("sources");
    destinations = lab.directory("destinations");
    Shell.run(sources, SOURCES);
  }

  /**
   * A row of the rule.
   *
   * @param before what stands at DEST before
   * @param place where the source must be afterwards
   */
  private record Row(String source, String destination, String before, String place) {}

  private static final List<Row> RULE =
      List.of(
          new Row("tree", "new", "true", "new/tree"),
          new Row("tree", "new/", "true", "new/tree"),
          new Row("tree", "new", "mkdir new", "new/tree"),
          new Row("tree/", "new", "true", "new"),
          new Row("tree/", "new/", "mkdir new", "new"),
          new Row("plain", "new", "true", "new"),
          new Row("plain", "new", "printf other > new", "new"),
          new Row("plain", "new", "mkdir new", "new/plain"),
          new Row("plain", "new/", "true", "new/plain"),
          new Row("plain", "new/", "mkdir new", "new/plain"),
          new Row("plain", "new", "mkdir real; ln -s real new", "real/plain"),
          new Row("plain", "new/", "mkdir real; ln -s real new", "real/plain"),
          new Row("tree", "new", "mkdir real; ln -s real new", "real/tree"),
          new Row("plain", "new", "ln -s nowhere new", "new"),
          new Row("plain", "a/b/c/", "true", "a/b/c/plain"));

  @ParameterizedTest
  @EnumSource(Way.class)
  void sourcesArriveWhereTheRuleSaysAndASecondRunMovesNothing(Way way) {
    RunningCommand server = serveBoth();
    for (int i = 0; i < RULE.size(); i++) {
      Row row = RULE.get(i);
      Path end = lab.directory("destinations/" + i);
      Shell.run(end, row.before());
      String destination = i + "/" + row.destination();

      copy(server, way, destination, row.source()).expect(0);

      assertArrived(end.resolve(row.place()), row);
      Map<String, String> afterFirst = Tree.beneath(end);
      Outcome second = copy(server, way, destination, row.source()).expect(0);

      assertThat(second.summary())
          .as("%s", row)
          .startsWith("done: 0 files, 0 B in ")
          .contains(row.source().startsWith("tree") ? " 2 unchanged" : " 1 unchanged");
      assertThat(Tree.beneath(end)).as("%s after the second run", row).isEqualTo(afterFirst);
    }
  }

  private void assertArrived(Path copy, Row row) {
    assertThat(copy).as("%s", row).exists();
    Path original = sources.resolve(row.source());
    switch (row.source()) {
      case "tree" -> Tree.assertSame(copy, original);
      case "tree/" ->
          assertThat(Tree.beneath(copy)).as("%s", row).isEqualTo(Tree.beneath(original));
      default -> {
        String name = copy.getFileName().toString();
        assertThat(Tree.beneath(copy.getParent()).get(name))
            .as("%s", row)
            .isEqualTo(Tree.beneath(sources).get("plain"));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void severalSourcesArriveBesideEachOther(Way way) {
    RunningCommand server = serveBoth();

    for (int run = 1; run <= 2; run++) {
      Outcome outcome = copy(server, way, "all", "one", "two/", "plain").expect(0);

      Path all = destinations.resolve("all");
      assertThat(Tree.beneath(all).keySet())
          .containsExactlyInAnyOrder("one", "one/a", "one/a/x", "b", "b/y", "plain");
      Tree.assertSame(all.resolve("one"), sources.resolve("one"));
      Tree.assertSame(all.resolve("b"), sources.resolve("two/b"));
      if (run == 2) {
        assertThat(outcome.summary()).startsWith("done: 0 files, 0 B in ").contains(" 3 unchanged");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aChangedFileArrivesAgainAndOthersDoNot(Way way) {
    RunningCommand server = serveBoth();
    copy(server, way, "all", "tree").expect(0);
    Shell.run(sources, "printf changed > tree/sub/g");

    Outcome outcome = copy(server, way, "all", "tree").expect(0);

    assertThat(outcome.summary()).startsWith("done: 1 file, 7 B in ").contains(" 1 unchanged");
    Tree.assertSame(destinations.resolve("all/tree"), sources.resolve("tree"));
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void sameSizeAndAnotherTimeIsNotUnchanged(Way way) {
    RunningCommand server = serveBoth();
    copy(server, way, "all", "plain", "one").expect(0);
    Shell.run(sources, "printf 777 > plain");

    copy(server, way, "all", "plain", "one").expect(0);

    assertThat(destinations.resolve("all/plain")).hasContent("777");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void directoryWithoutRecursionIsNamedAndTheFileBesideItArrives(Way way) {
    RunningCommand server = serveBoth();
    String[] ends = ends(server, way, "all", "tree", "plain");

    Outcome outcome = lab.run(lab.root(), concat(new String[] {"copy"}, ends)).expect(1);

    assertThat(destinations.resolve("all/plain")).hasContent("333");
    assertThat(destinations.resolve("all/tree")).doesNotExist();
    assertThat(outcome.problems()).hasSize(1);
    assertThat(outcome.problems().get(0)).contains("tree").contains("-r");
  }

  @Test
  void bothSpellingsOfALocationAreTheSame() {
    RunningCommand server = serveBoth();
    String host = "127.0.0.1";

    lab.run(
            destinations,
            "copy",
            "-p",
            Integer.toString(server.port()),
            host + ":sources/plain",
            "a")
        .expect(0);
    lab.run(
            destinations,
            "copy",
            "-p",
            Integer.toString(server.port()),
            host + ":/sources/plain",
            "b")
        .expect(0);
    lab.run(destinations, "copy", "fdt://" + host + ":" + server.port() + "/sources/pl%61in", "c")
        .expect(0);

    assertThat(List.of("a", "b", "c"))
        .allSatisfy(name -> assertThat(destinations.resolve(name)).hasContent("333"));
  }

  /** A server that exposes both ends under their names. */
  private RunningCommand serveBoth() {
    return lab.serve("--export", sources.toString(), "--export", destinations + ":rw");
  }

  private Outcome copy(RunningCommand server, Way way, String destination, String... names) {
    return lab.run(
        lab.root(), concat(new String[] {"copy", "-r"}, ends(server, way, destination, names)));
  }

  /** The sources and the destination as operands: at least one of them is remote. */
  private String[] ends(RunningCommand server, Way way, String destination, String... names) {
    String remote = "fdt://127.0.0.1:" + server.port() + "/";
    String[] operands = new String[names.length + 1];
    for (int i = 0; i < names.length; i++) {
      operands[i] = (way == Way.PUSH ? "" : remote) + "sources/" + names[i];
    }
    operands[names.length] = (way == Way.PULL ? "" : remote) + "destinations/" + destination;
    return operands;
  }

  private static String[] concat(String[] first, String[] second) {
    String[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
