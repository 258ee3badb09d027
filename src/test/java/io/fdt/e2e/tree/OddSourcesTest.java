package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.storage.FaultyMount;
import io.fdt.core.storage.FaultyMount.Call;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sources on file systems that round, lie, hang or die. */
@Execution(ExecutionMode.CONCURRENT)
class OddSourcesTest {
  private static final Duration DEADLINE = Duration.ofSeconds(40);

  @RegisterExtension private final Lab lab = new Lab();

  /** That of the last copy. */
  private RunningCommand server;

  /** As Gluster and CIFS do. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void filesWhoseTimesAreRoundedWhileTheyAreClosedHaveNotChanged(boolean push) {
    Path backing = lab.directory("backing");
    Content.write(backing.resolve("large"), 6 << 20, 1);
    Content.write(backing.resolve("small"), 100, 2);
    Shell.run(backing, "touch -d '2020-01-01 00:00:00.987654321' *");
    lab.directory("copied");
    try (FaultyMount mount = FaultyMount.over(backing)) {
      mount.roundWhileClosed(Duration.ofSeconds(1));
      String[] copy = copy(push, mount.path());
      Outcome copied = lab.run(lab.root(), copy).expect(0);
      assertThat(copied.out()).contains("2 files", "all verified");
      assertThat(text("diff -r backing copied")).isEmpty();
      assertThat(lab.run(lab.root(), copy).expect(0).out()).contains("0 files, 0 B");
    }
  }

  @Test
  void filesWhoseInodeIsAnotherOneEachTimeHaveNotChanged() {
    Path backing = lab.directory("backing");
    Content.write(backing.resolve("large"), 6 << 20, 1);
    Content.write(backing.resolve("small"), 100, 2);
    lab.directory("copied");
    try (FaultyMount mount = FaultyMount.over(backing)) {
      mount.changeInodes();
      String[] copy = copy(true, mount.path());
      lab.run(lab.root(), copy).expect(0);
      assertThat(text("diff -r backing copied")).isEmpty();
      assertThat(lab.run(lab.root(), copy).expect(0).out()).contains("0 files, 0 B");
    }
  }

  /** Both pairs have one inode, one size and one time there. */
  @Test
  void namesOfFilesWithOneInodeAreLinkedOnlyIfTheirContentIsTheSame() {
    Shell.run(
        lab.directory("backing"),
        "echo one > a; ln a b; echo two > c; ln c d; echo one > e; touch -d 2020-01-01 *");
    lab.directory("copied");
    try (FaultyMount mount = FaultyMount.over(lab.root().resolve("backing"))) {
      mount.equalInodes();
      mount.coarseTimes(Duration.ofDays(1)); // also of the last change, which tells many apart
      String[] copy = copy(false, mount.path());
      lab.run(lab.root(), withHardLinks(copy)).expect(0);
      assertThat(text("diff -r backing copied")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDeadMountIsNamedInWordsAndTheRestArrives(boolean push) {
    lab.directory("copied");
    try (FaultyMount mount = FaultyMount.over(lab.directory("backing"))) {
      Path holder = mount.path().getParent();
      Shell.run(holder, "echo x > file");
      mount.die();
      try {
        Outcome copied = lab.run(lab.root(), copy(push, holder)).expect(1);
        assertThat(copied.problems())
            .singleElement()
            .asString()
            .contains("/mount'", "is dead", "mount it again");
        assertThat(text("cat copied/file")).isEqualTo("x\n");
      } finally {
        Shell.run(holder, "rm file");
      }
    }
  }

  @Test
  void aMountThatHangsIsPassedByWithOneFileSystem() {
    lab.directory("copied");
    try (FaultyMount mount = FaultyMount.over(lab.directory("backing"))) {
      Path holder = mount.path().getParent();
      Shell.run(holder, "echo x > file");
      FaultyMount.Rule look = mount.hang(Call.GETATTR, "*");
      FaultyMount.Rule list = mount.hang(Call.OPENDIR, "*");
      try {
        String[] copy = copy(true, holder);
        RunningCommand passing =
            lab.start(lab.root(), "copy", "-r", "--one-file-system", copy[2], copy[3]);
        await().atMost(Duration.ofSeconds(40)).until(() -> !passing.isAlive());
        passing.end().expect(0);
        assertThat(text("cat copied/file; ls copied/mount")).isEqualTo("x\n");
      } finally {
        look.remove();
        list.remove();
        Shell.run(holder, "rm file");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDirectoryThatHangsIsNamedWhileNothingMoves(boolean push) throws Exception {
    lab.directory("copied");
    Shell.run(lab.directory("backing"), "mkdir -p sub/deep; echo x > sub/deep/file");
    try (FaultyMount mount = FaultyMount.over(lab.root().resolve("backing"))) {
      FaultyMount.Rule rule = mount.hang(Call.OPENDIR, "sub/deep");
      RunningCommand copy = lab.start(lab.root(), copy(push, mount.path()));
      try {
        await()
            .atMost(DEADLINE)
            .untilAsserted(
                () -> {
                  assertThat(copy.err()).contains("no data:", "/sub/deep'");
                  assertThat(server.err()).contains("session stalled");
                });
      } finally {
        rule.remove();
      }
      copy.end().expect(0);
      assertThat(Files.readString(lab.root().resolve("copied/sub/deep/file"))).isEqualTo("x\n");
    }
  }

  private String[] copy(boolean push, Path source) {
    server = lab.serve("--export", "source=" + source + ":ro", "--export", "copied:rw");
    String address = "fdt://127.0.0.1:" + server.port();
    return push
        ? new String[] {"copy", "-r", source + "/", address + "/copied/"}
        : new String[] {"copy", "-r", address + "/source/", "copied/"};
  }

  private static String[] withHardLinks(String[] copy) {
    return new String[] {"copy", "-r", "--hard-links", copy[2], copy[3]};
  }

  private String text(String script) {
    return new String(Shell.run(lab.root(), script), StandardCharsets.UTF_8);
  }
}
