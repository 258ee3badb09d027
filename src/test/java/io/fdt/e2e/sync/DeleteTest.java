package io.fdt.e2e.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What the source lacks goes at the destination, and nothing else, in both directions. */
class DeleteTest {
  private static final String SOURCE =
      """
      mkdir -p a/b/c empty; printf 1 > a/b/c/stays; printf 1 > top; ln -s nowhere a/link
      printf 1 > a/b/big; truncate -s 5000 a/b/big; mkfifo a/fifo
      touch -d @1000000 a/b/c/stays top a/b/c a/b
      """;

  /** The same, and more. */
  private static final String EXTRA =
      """
      mkdir -p a/b/c a/gone/deep/er; printf x > a/gone/deep/er/f; printf x > a/b/c/extra
      ln -s ../../outside a/b/out; mkfifo a/b/pipe; printf x > a/kept.log
      mkdir -p a/partly; printf x > a/partly/x; printf x > a/partly/y.log
      printf x > a/b/.fdt-0123456789abcdef.part; printf old > a/b/big; printf x > a/fifo
      mkdir -p ../outside; printf x > ../outside/precious
      """;

  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path pushed;
  private Path pulled;
  private String address;

  @BeforeEach
  void makeTrees() {
    source = lab.directory("source");
    Shell.run(source, SOURCE);
    pushed = lab.directory("pushed");
    pulled = lab.directory("pulled");
    for (Path destination : List.of(pushed, pulled)) {
      Shell.run(destination, EXTRA);
    }
    RunningCommand server =
        lab.serve(
            "--export", source.toString(), "--export", pushed + ":rw", "--export", pulled + ":ro");
    address = "fdt://127.0.0.1:" + server.port();
  }

  /** The transfers leave none; this one was here before. */
  @AfterEach
  void removeTheUnfinishedFile() {
    Shell.run(lab.root(), "find . -name '.fdt-0123456789abcdef.part' -delete");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void onlyWhatTheSourceLacksGoes(boolean push) {
    Path destination = push ? pushed : pulled;
    List<String> before = files(destination);
    String[] options = {"--delete", "--exclude", "*.log", "--max-size", "1000", "--json"};

    Outcome dry = copy(push, and(options, "--dry-run"));
    assertThat(dry.status()).as("%s", dry).isZero();
    assertThat(files(destination)).isEqualTo(before);
    Outcome run = copy(push, options);
    assertThat(run.status()).as("%s", run).isZero();

    assertThat(files(destination))
        .containsExactly(
            "a",
            "a/b",
            "a/b/.fdt-0123456789abcdef.part",
            "a/b/big", // left out by its size, and there at the source
            "a/b/c",
            "a/b/c/stays",
            "a/fifo", // never copied, and there at the source
            "a/kept.log",
            "a/link",
            "a/partly",
            "a/partly/y.log",
            "empty",
            "top");
    List<String> deleted = deleted(run);
    assertThat(deleted)
        .containsExactlyInAnyOrder(
            "file a/b/c/extra",
            "symlink a/b/out",
            "other a/b/pipe",
            "file a/gone/deep/er/f",
            "directory a/gone/deep/er",
            "directory a/gone/deep",
            "directory a/gone",
            "file a/partly/x");
    assertThat(deleted(dry)).containsExactlyInAnyOrderElementsOf(deleted);
    List<JsonNode> events = JsonLines.events(run);
    assertThat(events.get(events.size() - 1).get("deleted").asLong()).isEqualTo(deleted.size());
    assertThat(lab.root().resolve("outside/precious")).exists();
    assertThat(text(destination, "stat -c %Y a/b/c a/b")).isEqualTo("1000000\n1000000\n");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whenSomethingFailsNothingGoes(boolean push) {
    Path destination = push ? pushed : pulled;
    Shell.run(destination, "rm a/b/big; mkdir a/b/big; printf x > a/b/big/kept.log");
    List<String> before = files(destination);

    Outcome run = copy(push, "--delete", "--exclude", "*.log"); // what it keeps is in the way

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err())
        .contains("a/b/big' is a directory that holds excluded names")
        .contains("nothing was deleted, because not everything was transferred");
    assertThat(files(destination)).containsAll(before);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatBecameADirectoryAtTheSourceIsReplaced(boolean push) {
    Path destination = push ? pushed : pulled;
    Shell.run(
        destination,
        "rm -r a/b; printf x > a/b; ln -s ../outside empty; ln -s ../../outside a/kept");
    Shell.run(source, "mkdir a/kept; printf 1 > a/kept/new");
    List<String> before = files(destination);

    Outcome dry = copy(push, "--delete", "--dry-run").expect(0);
    assertThat(files(destination)).isEqualTo(before);
    assertThat(dry.out()).contains("a/b/c/stays");
    copy(push, "--delete").expect(0);

    assertThat(files(destination))
        .containsAll(files(source).stream().filter(name -> !name.equals("a/fifo")).toList())
        .doesNotContain("a/gone");
    assertThat(text(destination, "find . -type l")).isEqualTo("./a/link\n");
    assertThat(files(lab.root().resolve("outside"))).containsExactly("precious");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatBecameAFileOrALinkAtTheSourceReplacesADirectory(boolean push) {
    Path destination = push ? pushed : pulled;
    Shell.run(
        destination,
        "rm -f top a/b/big; mkdir -p top/deep a/link a/b/big; printf x > top/deep/file;"
            + " ln -s ../../outside a/link/out");
    List<String> before = files(destination);

    assertThat(copy(push).expect(1).err()).contains("top' is a directory: remove it");
    Outcome dry = copy(push, "--delete", "--json", "--dry-run").expect(0);
    assertThat(files(destination)).containsAll(before);
    Outcome run = copy(push, "--delete", "--json").expect(0);

    assertThat(files(destination))
        .containsAll(files(source).stream().filter(name -> !name.equals("a/fifo")).toList())
        .doesNotContain("a/gone");
    assertThat(text(destination, "cat top; readlink a/link")).isEqualTo("1nowhere\n");
    assertThat(deleted(run))
        .contains(
            "file top/deep/file",
            "directory top/deep",
            "directory top",
            "symlink a/link/out",
            "directory a/link",
            "directory a/b/big");
    assertThat(deleted(dry)).containsExactlyInAnyOrderElementsOf(deleted(run));
    assertThat(files(lab.root().resolve("outside"))).containsExactly("precious");
    List<String> once = files(destination);
    assertThat(deleted(copy(push, "--delete", "--json").expect(0))).isEmpty();
    assertThat(files(destination)).isEqualTo(once);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatADirectoryHoldsCountsWhenAFileReplacesIt(boolean push) {
    Path destination = push ? pushed : pulled;
    Shell.run(destination, "rm -rf *; mkdir -p top/deep; printf x > top/deep/file; printf x > y");

    Outcome tooMany = copy(push, "--delete", "--max-delete", "2").expect(1);
    assertThat(tooMany.err()).contains("top' is a directory with 3 names, and --max-delete allows");
    assertThat(files(destination)).contains("top/deep/file", "y");
    Outcome all = copy(push, "--delete", "--max-delete", "3").expect(1);
    assertThat(all.err()).contains("4 names would be deleted, and at most 3 may be: nothing else");
    assertThat(files(destination)).contains("top", "y").doesNotContain("top/deep");
    copy(push, "--delete", "--max-delete", "1").expect(0);
    assertThat(files(destination)).contains("top").doesNotContain("y");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDirectoryThatAFileReplacesMovesToTheBackups(boolean push) {
    Path destination = push ? pushed : pulled;
    Shell.run(destination, "rm -rf top; mkdir -p top/deep; printf old > top/deep/file");

    copy(push, "--delete", "--backup-dir", ".old").expect(0);

    assertThat(text(destination, "cat top .old/top/deep/file")).isEqualTo("1old");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withoutADeletionNothingIsReplacedByADirectory(boolean push) {
    Path destination = push ? pushed : pulled;
    Shell.run(destination, "printf precious > empty");

    Outcome run = copy(push).expect(1);

    assertThat(run.err()).contains("a directory is needed at ", "empty");
    assertThat(destination.resolve("empty")).hasContent("precious");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void moreThanMayGoIsAFailureAndNothingGoes(boolean push) {
    Path destination = push ? pushed : pulled;
    List<String> before = files(destination);

    Outcome refused = copy(push, "--delete", "--max-delete", "9");
    assertThat(refused.status()).as("%s", refused).isEqualTo(1);
    assertThat(refused.err()).contains("11 names would be deleted, and at most 9 may be");
    assertThat(refused.summary())
        .contains("nothing deleted (more than --max-delete)")
        .doesNotContain("not transferred");
    assertThat(files(destination)).containsAll(before);
    Outcome dry = copy(push, "--delete", "--max-delete", "9", "--dry-run").expect(1);
    assertThat(dry.err())
        .contains("11 names would be deleted, and at most 9 may be: nothing would be deleted");
    assertThat(dry.summary()).contains("nothing would be deleted (more than --max-delete)");
    assertThat(dry.out()).doesNotContain("would delete ");
    assertThat(deleted(copy(push, "--delete", "--max-delete", "9", "--dry-run", "--json")))
        .isEmpty();
    assertThat(files(destination)).containsAll(before);
    List<JsonNode> events =
        JsonLines.events(copy(push, "--delete", "--max-delete", "9", "--json").expect(1));
    JsonNode summary = events.get(events.size() - 1);
    assertThat(summary.get("files_failed").asLong()).isZero();
    assertThat(JsonLines.of(events, "error"))
        .singleElement()
        .satisfies(error -> assertThat(error.get("code").asString()).isEqualTo("TOO_MANY"));
    assertThat(JsonLines.of(events, "file"))
        .noneMatch(file -> file.get("fate").asString().equals("failed"));

    assertThat(copy(push, "--delete", "--max-delete", "11").status()).isZero();
    assertThat(files(destination)).doesNotContain("a/gone", "a/kept.log");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEmptySourceEmptiesTheDestinationOnlyWhenAsked(boolean push) {
    Path destination = push ? pushed : pulled;
    Shell.run(source, "find . -mindepth 1 -delete");
    List<String> before = files(destination);

    Outcome refused = copy(push, "--delete").expect(1);
    assertThat(refused.err()).contains("the source is empty, and 17 names", "--delete-from-empty");
    assertThat(refused.summary())
        .contains("nothing deleted (the source is empty)")
        .doesNotContain("not transferred");
    Outcome dry = copy(push, "--delete", "--dry-run").expect(1);
    assertThat(dry.out()).contains("nothing would be deleted").doesNotContain("would delete");
    List<JsonNode> events = JsonLines.events(copy(push, "--delete", "--json").expect(1));
    assertThat(JsonLines.of(events, "error"))
        .singleElement()
        .satisfies(error -> assertThat(error.get("code").asString()).isEqualTo("SOURCE_EMPTY"));
    assertThat(files(destination)).isEqualTo(before);

    copy(push, "--delete", "--delete-from-empty").expect(0);
    assertThat(files(destination)).isEmpty();
    copy(push, "--delete").expect(0);
  }

  @Test
  void aSourceFromWhichEverythingIsLeftOutIsNotEmpty() {
    Shell.run(source, "find . -mindepth 1 -delete; printf x > left.out");

    copy(true, "--delete", "--exclude", "*.out").expect(0);

    assertThat(files(pushed)).isEmpty();
  }

  @Test
  void anEmptySourceBesideAnotherOneDeletesNothingEither() {
    Shell.run(lab.root(), "mkdir -p unmounted pushed/unmounted; printf x > pushed/unmounted/x");

    lab.run(lab.root(), "copy", "-r", "--delete", "source/a", "unmounted", address + "/pushed")
        .expect(1);

    assertThat(files(pushed)).contains("unmounted/x", "a/gone/deep/er/f");
  }

  @Test
  void betweenServersAnEmptySourceDeletesNothingEither() {
    Shell.run(source, "find . -mindepth 1 -delete");
    RunningCommand other = lab.serve("--export", pushed + ":rw");
    String to = "fdt://127.0.0.1:" + other.port() + "/pushed/";
    List<String> before = files(pushed);

    Outcome refused =
        lab.run(lab.root(), "copy", "-r", "--delete", address + "/source/", to).expect(1);

    assertThat(refused.err()).contains("the source is empty");
    assertThat(files(pushed)).isEqualTo(before);
  }

  @Test
  void besideWhatWasCopiedNothingGoes() {
    Shell.run(pulled, "mkdir source; mv a source; printf x > beside");
    List<String> words = List.of("copy", "-r", "--delete", address + "/source", "pulled/");

    lab.run(lab.root(), words.toArray(String[]::new)).expect(0);

    assertThat(files(pulled))
        .contains("beside", "source/a/b/c/stays")
        .doesNotContain("source/a/gone");
  }

  @Test
  void thatWorksInFdtsSpellingToo() {
    Outcome run =
        lab.run(
            source,
            "-c",
            "127.0.0.1",
            "-p",
            address.substring(address.lastIndexOf(':') + 1),
            "-r",
            "--delete",
            "-d",
            "/pushed",
            "./");

    assertThat(run.status()).as("%s", run).isZero();
    assertThat(files(pushed)).doesNotContain("a/gone", "a/b/c/extra").contains("a/b/c/stays");
  }

  @Test
  void whoMayOnlyReadDeletesNothing() {
    List<String> before = files(pulled);

    Outcome refused =
        lab.run(lab.root(), "copy", "-r", "--delete", "source/", address + "/pulled/");

    assertThat(refused.status()).isEqualTo(4);
    assertThat(files(pulled)).isEqualTo(before);
  }

  @Test
  void aBoundWithoutADeletionIsAUsageError() {
    Outcome outcome = lab.run(lab.root(), "copy", "--max-delete", "5", "x", "127.0.0.1:/y");
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains("--max-delete needs --delete");
  }

  private Outcome copy(boolean push, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r"));
    words.addAll(List.of(options));
    words.addAll(
        push ? List.of("source/", address + "/pushed/") : List.of(address + "/source/", "pulled/"));
    return lab.run(lab.root(), words.toArray(String[]::new));
  }

  private static String[] and(String[] some, String more) {
    List<String> all = new ArrayList<>(List.of(some));
    all.add(more);
    return all.toArray(String[]::new);
  }

  /** Kind, and path beneath the destination. */
  private static List<String> deleted(Outcome outcome) {
    List<String> names = new ArrayList<>();
    JsonLines.of(JsonLines.events(outcome), "deleted")
        .forEach(
            event ->
                names.add(
                    event.get("kind").asString()
                        + " "
                        + event.get("path").asString().replaceFirst("^/?(pushed|pulled)/+", "")));
    return names;
  }

  private static List<String> files(Path directory) {
    return text(directory, "find . -mindepth 1 -printf '%P\\n' | LC_ALL=C sort").lines().toList();
  }

  private static String text(Path directory, String script) {
    return new String(Shell.run(directory, script), StandardCharsets.UTF_8);
  }
}
