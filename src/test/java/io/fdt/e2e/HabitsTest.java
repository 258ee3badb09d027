package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What users of rsync, scp, rclone and Globus type in their first hour. */
class HabitsTest {
  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path in;
  private RunningCommand server;

  @BeforeEach
  void makeTree() {
    source = lab.directory("source");
    Shell.run(
        source,
        "mkdir -p d/e; printf 1 > a.c; printf 2 > a.o; printf 3 > d/e/f; ln -s a.c link; chmod 640"
            + " a.c; touch -d '2001-02-03' a.c d");
    in = lab.directory("in");
    server = lab.serve("--export", in + ":rw", "--export", source.toString());
  }

  @Test
  void rsyncDashAvzpDeleteMirrorsATreeInBothDirections() {
    copy("-avzP --delete SOURCE/ HOST/in/").expect(0);
    Tree.assertSame(in, source);
    Shell.run(source, "rm -r d; printf more >> a.c");

    copy("-avzP --delete SOURCE/ HOST/in/").expect(0);
    copy("-aHAX --delete --numeric-ids HOST/source/ back/").expect(0);

    Tree.assertSame(in, source);
    Tree.assertSame(lab.root().resolve("back"), source);
  }

  @Test
  void excludeFromTakesRsyncsFilesOfPatterns() {
    Shell.run(lab.root(), "printf '# objects\\n+ d/e/f\\n*.o\\n/d/e/*\\n' > patterns");

    copy("-a --exclude-from patterns SOURCE/ HOST/in/").expect(0);

    assertThat(Tree.beneath(in)).containsOnlyKeys("a.c", "link", "d", "d/e", "d/e/f");
  }

  @Test
  void dashNChangesNothingAndDashUKeepsWhatIsNewer() {
    copy("-avn SOURCE/ HOST/in/").expect(0);
    assertThat(Tree.beneath(in)).isEmpty();
    Shell.run(in, "printf newer > a.c; touch -d '2030-01-01' a.c");

    copy("-au SOURCE/ HOST/in/").expect(0);

    assertThat(in.resolve("a.c")).hasContent("newer");
  }

  @Test
  void whatIsAnotherThingHereIsRefusedWithTheRightName() {
    Outcome outcome = copy("-P SOURCE HOST/in/").expect(2);

    assertThat(outcome.problems())
        .singleElement()
        .asString()
        .startsWith("fdt: copy: -P is the number of streams");
  }

  @Test
  void syncMakesTheDestinationTheSameAndADryRunTellsOfIt() {
    Shell.run(in, "mkdir old; printf x > old/x; printf y > a.c");
    String to = "fdt://127.0.0.1:" + server.port() + "/in/";

    Outcome dry = lab.run(lab.root(), "sync", "-n", source + "/", to).expect(0);
    assertThat(in.resolve("old/x")).exists();
    lab.run(lab.root(), "sync", "-av", "--delete", source + "/", to).expect(0);

    assertThat(dry.out()).contains("old");
    Tree.assertSame(in, source);
    assertThat(lab.run(lab.root(), "sync", "a", "b", to).expect(2).err())
        .contains("sync: one source and a destination are needed");
  }

  @Test
  void serveTakesABareDirectoryWhichIsReadOnly() {
    RunningCommand bare = lab.serve(source.toString(), "w=" + in + ":rw");
    String host = "fdt://127.0.0.1:" + bare.port();

    lab.run(lab.root(), "copy", "-r", host + "/source/", "got").expect(0);
    Outcome refused = lab.run(lab.root(), "copy", "got/a.c", host + "/source/new");
    lab.run(lab.root(), "copy", "got/a.c", host + "/w/new").expect(0);

    Tree.assertSame(lab.root().resolve("got"), source);
    assertThat(refused.expect(4).err()).contains("read-only");
    assertThat(in.resolve("new")).hasContent("1");
  }

  private Outcome copy(String words) {
    List<String> line = new ArrayList<>(List.of("copy"));
    line.addAll(
        Arrays.asList(
            words
                .replace("SOURCE", source.toString())
                .replace("HOST", "fdt://127.0.0.1:" + server.port())
                .split(" ")));
    return lab.run(lab.root(), line.toArray(String[]::new));
  }
}
