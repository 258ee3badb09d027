package io.fdt.e2e.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Mounts;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A destination whose disk says no: a clear error with the right exit status, nothing wrong under
 * any final name, and the same command again completes the tree.
 */
class StorageErrorTest {
  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    source = lab.directory("source");
    Content.write(source.resolve("large-1"), 6 << 20, 1);
    Content.write(source.resolve("large-2"), 6 << 20, 2);
    Content.write(source.resolve("d/medium"), 400_000, 3);
    Content.write(source.resolve("d/small"), 100, 4);
    server = lab.serve("--export", "data=" + source + ":ro");
  }

  private String[] copy(Path destination, String... options) {
    return Lab.clientOf(
        server,
        Stream.concat(
                Stream.of(options),
                Stream.of("-r", "-pull", "-d", destination.toString(), "/data/"))
            .toArray(String[]::new));
  }

  /** The calls are those of each thread: one of them fails in every thread that comes so far. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pwrite64:error=ENOSPC:when=4        | 6 | storage full: cannot ",
        "pwrite64:error=EDQUOT:when=4        | 6 | the disk quota is used up",
        "pwrite64:error=EIO:when=4           | 1 | the device reports an error",
        "fsync:error=EIO:when=1              | 1 | cannot sync",
        "renameat:error=EROFS:when=1         | 1 | the file system is mounted read-only",
      })
  void anErrorOfTheDiskFailsFilesAndNoMore(String injection, int status, String message)
      throws Exception {
    fails(injection, status, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "fallocate:error=ENOSPC:when=1       | 6 | storage full: cannot ",
        "fallocate:error=EDQUOT:when=1       | 6 | the disk quota is used up",
        "sync_file_range:error=EIO:when=1    | 1 | cannot sync",
        "sync_file_range:error=ENOSPC:when=1 | 6 | storage full: cannot ",
        "renameat:error=ENOSPC:when=1        | 6 | storage full: cannot ",
      })
  void anErrorOfACallOfLinuxFailsFilesAndNoMore(String injection, int status, String message)
      throws Exception {
    fails(injection, status, message);
  }

  private void fails(String injection, int status, String message) throws Exception {
    Programs.requireTracing();
    Path destination = lab.directory("copy");

    Outcome failed = lab.runInjected(lab.root(), injection, copy(destination, "--fsync"));

    failed.expect(status);
    assertThat(failed.problems()).isNotEmpty().anyMatch(line -> line.contains(message));
    Map<String, String> expected = Tree.beneath(source);
    Tree.beneath(destination)
        .forEach(
            (name, entry) -> {
              if (entry.startsWith("f ") && !name.contains(".fdt-")) {
                assertThat(entry).as(name).isEqualTo(expected.get(name));
              }
            });
    lab.run(lab.root(), copy(destination)).expect(0);
    Tree.assertSame(destination, source);
  }

  @Test
  void aFileThatDoesNotFitSaysHowMuchIsFreeAndTakesNothingOfIt() {
    Shell.run(lab.root(), "mkdir tight; head -c 40000000 /dev/zero > too-large");
    try (Mounts mounts = new Mounts()) {
      Path tight = mounts.ext4OfWholeSeconds(lab.root().resolve("tight"));
      String at = "fdt://127.0.0.1:" + lab.serve("--export", lab.root().toString()).port() + "/";
      Outcome full =
          lab.run(lab.root(), "copy", at + lab.root().getFileName() + "/too-large", "tight/")
              .expect(6);
      // ext4 has given all that it had by then.
      assertThat(full.err())
          .containsPattern("'tight/too-large' needs 38\\.1 MiB, and [1-9].* MiB are free; make");
      assertThat(tight).isEmptyDirectory();
    }
  }

  @Test
  void aFullFileSystemTakesWhatFitsSaysHowMuchIsLeftAndTakesItOnceThereIsRoom() {
    Path small = lab.directory("small");
    assumeTrue(isRoot(), "only root can mount a small file system");
    Shell.run(lab.root(), "mount -t tmpfs -o size=5m,mode=755 none small");
    try {
      String from = "fdt://127.0.0.1:" + server.port() + "/data/";
      RunningCommand writable = lab.serve("--export", small + ":rw");
      String to = "fdt://127.0.0.1:" + writable.port() + "/small";
      for (Outcome dry :
          List.of(
              lab.run(lab.root(), "copy", "-rn", from, "small"),
              lab.run(lab.root(), "copy", "-rn", "source/", to))) {
        assertThat(dry.expect(0).err())
            .containsPattern("small' needs 12\\.\\d MiB, and \\d.* are free; make room before");
      }
      writable.stop();
      Outcome full = lab.run(lab.root(), copy(small)).expect(6);
      assertThat(full.problems())
          .anyMatch(
              line ->
                  line.matches(
                      "fdt: storage full: .*large-\\d' needs 6\\.00 MiB, and .* are free; make room"
                          + " .*"));
      assertThat(full.summary())
          .matches("ended with problems: 2 of 4 files, .*, 2 problems, 12\\.0 MiB still to copy");
      Content.assertSame(small.resolve("d/medium"), source.resolve("d/medium"));
      Content.assertSame(small.resolve("d/small"), source.resolve("d/small"));
      Shell.run(lab.root(), "mount -o remount,size=64m small");
      lab.run(lab.root(), copy(small)).expect(0);
      Tree.assertSame(small, source);
    } finally {
      Shell.run(lab.root(), "umount small");
    }
  }

  @Test
  void aDirectoryStaysWhereTheFileThatReplacesItDoesNotFit() {
    Path small = lab.directory("small");
    assumeTrue(isRoot(), "only root can mount a small file system");
    Shell.run(lab.root(), "mount -t tmpfs -o size=5m,mode=755 none small");
    try {
      Shell.run(small, "mkdir large-1; printf precious > large-1/old");
      lab.run(lab.root(), copy(small, "--delete")).expect(6);
      assertThat(small.resolve("large-1/old")).hasContent("precious");
      Shell.run(lab.root(), "mount -o remount,size=64m small");
      lab.run(lab.root(), copy(small, "--delete")).expect(0);
      Tree.assertSame(small, source);
    } finally {
      Shell.run(lab.root(), "umount small");
    }
  }

  @Test
  void anotherNameOfAFileThatDoesNotFitDoesNotHideThatTheDiskIsFull() throws Exception {
    Files.createLink(source.resolve("large-1-again"), source.resolve("large-1"));
    Path small = lab.directory("small");
    assumeTrue(isRoot(), "only root can mount a small file system");
    Shell.run(lab.root(), "mount -t tmpfs -o size=5m,mode=755 none small");
    try {
      Outcome full = lab.run(lab.root(), copy(small, "--hard-links")).expect(6);
      assertThat(full.problems()).anyMatch(line -> line.contains("large-1-again'"));
      Shell.run(lab.root(), "mount -o remount,size=64m small");
      lab.run(lab.root(), copy(small, "--hard-links")).expect(0);
      Tree.assertSame(small, source);
    } finally {
      Shell.run(lab.root(), "umount small");
    }
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  /** Data, then the name, then the directory: in this order nothing done can be lost. */
  @Test
  void fsyncForcesDataBeforeTheNameAndTheNameBeforeItCounts() throws Exception {
    Programs.requireTracing();
    Path one = lab.directory("one");
    Content.write(one.resolve("only"), 300_000, 5);
    RunningCommand other = lab.serve("--export", "one=" + one + ":ro");
    Path log = lab.root().resolve("calls");

    lab.runTraced(
            lab.root(),
            List.of("-o", log.toString(), "-e", "trace=fsync,renameat,mkdirat"),
            Lab.clientOf(other, "--fsync", "-pull", "-d", "a/b", "/one/only"))
        .expect(0);

    String calls =
        Files.readAllLines(log).stream()
            .filter(
                line ->
                    line.matches("\\d+ +(fsync|renameat|mkdirat)\\(.*") && !line.contains("= -1"))
            .filter(line -> !line.contains("renameat") || line.contains("\"only\""))
            .map(line -> line.replaceFirst("^\\d+ +(\\w+)\\(.*", "$1"))
            .reduce("", (a, b) -> a + " " + b)
            .strip();
    assertThat(calls).matches("mkdirat mkdirat fsync fsync( fsync)* renameat fsync( fsync)*");
  }
}
