package io.fdt.e2e.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Nobody;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A destination that is kept in step until it is stopped. */
class WatchTest {
  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path in;
  private RunningCommand server;

  @BeforeEach
  void makeTree() {
    source = lab.directory("source");
    Shell.run(source, "mkdir -p d/e; printf 1 > a; printf 2 > d/e/f; ln -s a link");
    in = lab.directory("in");
    server = lab.serve("--export", in + ":rw", "--export", source.toString());
  }

  @Test
  void watchCopiesWhatChangesInNewDirectoriesToo() {
    RunningCommand watch =
        lab.start(lab.root(), "watch", "--delete", "--after-change", "0", "source/", to("/in"));
    inStep();

    Shell.run(source, "mkdir -p new/er; printf 3 > new/er/x; rm -r d; chmod 600 a");
    inStep();
    Shell.run(source, "printf more >> new/er/x; mv a b; mkdir d");
    inStep();
    Shell.run(source, "find . -mindepth 1 -delete");
    inStep();
    Shell.run(source, "printf y > y");
    inStep();

    watch.stop();
    assertThat(watch.end().status()).isZero();
    assertThat(watch.out().lines())
        .allMatch(line -> line.startsWith("d") || line.startsWith("ended with problems: 0 "));
  }

  @Test
  void aSourceThatAnotherDirectoryReplacesIsAnErrorAndNothingIsDeleted() {
    RunningCommand watch =
        lab.start(lab.root(), "watch", "--delete", "--after-change", "0", "source/", to("/in"));
    inStep();

    Shell.run(lab.root(), "mv source old; mkdir source; printf z > source/z");
    eventually(() -> assertThat(watch.err()).contains("source' is missing, or not what it was"));
    assertThat(in.resolve("a")).exists();
    assertThat(in.resolve("z")).doesNotExist();
    Shell.run(lab.root(), "rm -r source; mv old source; printf back > source/back");

    inStep();
    watch.stop();
    assertThat(watch.end().status()).isZero();
    assertThat(watch.err().split("not what it was", -1)).hasSize(2);
  }

  @Test
  void whatIsUnmountedIsNotDeletedAndIsCopiedAgainAfterARemount() {
    assumeTrue(Nobody.isRoot(), "only root can mount");
    Path mounted = lab.directory("mounted");
    Shell.run(lab.root(), "mount --bind source mounted");
    try {
      RunningCommand watch =
          lab.start(lab.root(), "watch", "--delete", "--after-change", "0", "mounted/", to("/in"));
      inStep();
      Shell.run(lab.root(), "umount -l mounted; touch source/wakes");
      eventually(() -> assertThat(watch.err()).contains("mounted' is missing, or not what it was"));
      assertThat(in.resolve("d/e/f")).exists();

      Shell.run(lab.root(), "mount --bind source mounted; printf late > mounted/late");

      inStep();
      Shell.run(mounted, "printf later > later");
      inStep();
      watch.stop();
      assertThat(watch.end().status()).isZero();
    } finally {
      Shell.run(lab.root(), "umount -l mounted || true");
    }
  }

  @Test
  void aWatchThatBeginsWithAnEmptySourceDeletesNothing() {
    Shell.run(in, "printf x > precious");
    Shell.run(source, "find . -mindepth 1 -delete");

    RunningCommand watch =
        lab.start(lab.root(), "watch", "--delete", "--after-change", "0", "source/", to("/in"));
    eventually(() -> assertThat(watch.err()).contains("the source is empty"));
    assertThat(in.resolve("precious")).exists();
    Shell.run(source, "printf 1 > a");

    inStep();
    watch.stop();
    assertThat(watch.end().status()).isZero();
  }

  @Test
  void aFileThatAnEditorReplacesIsCopiedAgain() {
    RunningCommand watch =
        lab.start(lab.root(), "watch", "--after-change", "0", "source/a", to("/in/"));
    eventually(() -> assertThat(in.resolve("a")).hasContent("1"));

    Shell.run(source, "printf newer > a.new; mv a.new a");

    eventually(() -> assertThat(in.resolve("a")).hasContent("newer"));
    watch.stop();
    assertThat(watch.end().status()).isZero();
  }

  @Test
  void unfinishedFilesInTheSourceStartNoCopy() {
    RunningCommand watch =
        lab.start(lab.root(), "watch", "--after-change", "0", "source/", to("/in"));
    inStep();
    Shell.run(
        source, "printf 1 > .fdt-0123456789abcdef.part; printf 1 > .fdt-0123456789abcdef.journal");
    Shell.run(source, "printf 1 > z; rm .fdt*");

    inStep();
    watch.stop();
    assertThat(watch.end().status()).isZero();
  }

  @Test
  void aLinkThatLeadsElsewhereAndASourceThatComesLaterAreSeen() {
    Shell.run(lab.root(), "ln -s source current");
    RunningCommand watch =
        lab.start(lab.root(), "watch", "--delete", "--after-change", "0", "current/", to("/in"));
    inStep();

    Shell.run(lab.root(), "mkdir other; printf new > other/x; ln -sfn other current");
    eventually(() -> Tree.assertSame(in, lab.root().resolve("other")));
    Shell.run(lab.root(), "printf more >> other/x");
    eventually(() -> Tree.assertSame(in, lab.root().resolve("other")));
    watch.stop();
    assertThat(watch.end().status()).isZero();

    RunningCommand early =
        lab.start(lab.root(), "watch", "--after-change", "0", "later", to("/in"));
    eventually(() -> assertThat(early.err()).contains("later"));
    Shell.run(lab.root(), "mkdir later; printf 1 > later/file");
    eventually(() -> assertThat(in.resolve("later/file")).hasContent("1"));
    early.stop();
    assertThat(early.end().status()).isZero();
  }

  @Test
  void directoriesThatMoveAreWatchedWhereTheyAreThen() {
    Shell.run(source, "mkdir -p x/y/z");
    RunningCommand watch =
        lab.start(lab.root(), "watch", "--delete", "--after-change", "0", "source/", to("/in"));
    inStep();

    Shell.run(
        source, "mv x/y d/e/y; for i in 1 2 3; do mkdir -p d/e/y/z/$i; touch d/e/y/z/$i/f; done");
    inStep();
    Shell.run(source, "printf late > d/e/y/z/3/f");
    inStep();
    Shell.run(source, "mv d/e/y/z ../outside; printf gone > ../outside/3/f; mkdir d/e/y/z");
    inStep();
    Shell.run(source, "printf again > d/e/y/z/f");
    inStep();
    watch.stop();
    assertThat(watch.end().status()).isZero();
  }

  @Test
  void watchSurvivesTheRestartOfTheServer() {
    int port = server.port();
    RunningCommand watch =
        lab.start(lab.root(), "watch", "--after-change", "0", "source/", to("/in"));
    inStep();
    server.stop();
    Shell.run(source, "printf 3 > while-it-was-away");
    eventually(() -> assertThat(watch.err()).contains("fdt: "));

    lab.serve("--port", Integer.toString(port), "--export", in + ":rw");

    inStep();
    assertThat(watch.isAlive()).isTrue();
    watch.stop();
    assertThat(watch.end().status()).isZero();
  }

  @Test
  void aSourceOnAServerIsLookedAtNowAndThen() {
    RunningCommand watch = lab.start(lab.root(), "watch", "--every", "1s", to("/source/"), "in");
    inStep();
    Shell.run(source, "printf 3 > c");
    inStep();
    watch.stop();
    assertThat(watch.end().status()).isZero();
  }

  @Test
  void whatIsRefusedEndsTheWatch() {
    assertThat(lab.run(lab.root(), "watch", "source/", to("/source")).expect(4).err())
        .contains("read-only");
    assertThat(lab.run(lab.root(), "watch", "-n", "source/", to("/in")).expect(2).err())
        .contains("until it is stopped");
    assertThat(
            lab.run(lab.root(), "watch", "--after-change", "1s", to("/source"), ".")
                .expect(2)
                .err())
        .contains("write --every");
  }

  private String to(String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  private void inStep() {
    eventually(() -> Tree.assertSame(in, source));
  }

  private static void eventually(ThrowingRunnable assertion) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .ignoreExceptions()
        .untilAsserted(assertion);
  }
}
