package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
    Shell.run(lab.root(), "mv source old; mkdir source; printf z > source/z; touch d2");
    inStep();
    Shell.run(source, "printf y > y");
    inStep();

    watch.stop();
    assertThat(watch.end().status()).isZero();
    assertThat(watch.out().lines())
        .allMatch(line -> line.startsWith("d") || line.startsWith("ended with problems: 0 files"));
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
