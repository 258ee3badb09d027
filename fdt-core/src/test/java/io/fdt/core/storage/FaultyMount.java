package io.fdt.core.storage;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * A directory that is mounted a second time through a file system (FUSE) whose calls fail or hang
 * as a test wants, or that keeps less than it is given.
 *
 * <pre>{@code
 * try (FaultyMount mount = FaultyMount.over(lab.directory("backing"))) {
 *   FaultyMount.Rule rule = mount.fail(FaultyMount.Call.FLUSH, "EIO", "*.part");
 *   // ... copy to mount.path() ...
 *   assertThat(rule.hits()).isPositive();
 * }
 * }</pre>
 *
 * <p>The program is faulty_mount.c, which says more. It unmounts when its standard input ends, so
 * no mount outlives the JVM of the test. Skips the test where the program cannot be compiled or
 * nothing can be mounted. The root is trusted to all users where the test runs as root. Any thread.
 */
public final class FaultyMount implements AutoCloseable {
  private static final int SECONDS = 30;

  /** A call of the kernel; several system calls may lead to one of them. */
  public enum Call {
    OPEN,
    CREATE,
    READ,
    WRITE,
    /** Each close(2) of a descriptor, which reports its error. */
    FLUSH,
    /** The end of the last descriptor; nothing reports its error. */
    RELEASE,
    FSYNC,
    FSYNCDIR,
    FALLOCATE,
    TRUNCATE,
    LSEEK,
    RENAME,
    LINK,
    SYMLINK,
    READLINK,
    MKDIR,
    MKNOD,
    UNLINK,
    RMDIR,
    CHMOD,
    CHOWN,
    UTIMES,
    SETXATTR,
    GETXATTR,
    LISTXATTR,
    REMOVEXATTR,
    OPENDIR,
    READDIR,
    /** Each look at a name, too: also what a path leads through. */
    GETATTR,
    STATFS
  }

  private final Path backing;
  private final Path directory;
  private final Path point;
  private Process process;
  private Writer commands;
  private BufferedReader answers;

  private FaultyMount(Path backing) throws IOException {
    this.backing = backing;
    directory = Files.createTempDirectory("fdt-faulty-");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    point = Files.createDirectory(directory.resolve("mount"));
  }

  /** Mounts what is in a directory, without faults at first. */
  public static FaultyMount over(Path backing) {
    try {
      FaultyMount mount = new FaultyMount(backing);
      try {
        mount.mount(program());
        return mount;
      } catch (Throwable e) {
        mount.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void mount(Path program) throws IOException {
    Path errors = directory.resolve("errors");
    process =
        new ProcessBuilder(program.toString(), backing.toString(), point.toString())
            .redirectError(errors.toFile())
            .start();
    commands = process.outputWriter(StandardCharsets.UTF_8);
    answers = process.inputReader(StandardCharsets.UTF_8);
    boolean mounted = "ready".equals(answers.readLine());
    assumeTrue(
        mounted,
        () -> "no right to mount a file system (FUSE): " + read(errors).strip().lines().toList());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Compiles the program once for each version of its source. */
  private static synchronized Path program() throws IOException {
    assumeTrue(Files.exists(Path.of("/usr/include/fuse3/fuse.h")), "not installed: libfuse3-dev");
    assumeTrue(Files.exists(Path.of("/usr/bin/fusermount3")), "not installed: fuse3");
    assumeTrue(Files.exists(Path.of("/usr/bin/gcc")), "not installed: gcc");
    assumeTrue(Files.exists(Path.of("/dev/fuse")), "no /dev/fuse on this machine");
    byte[] source;
    try (InputStream text = FaultyMount.class.getResourceAsStream("faulty_mount.c")) {
      source = text.readAllBytes();
    }
    CRC32C sum = new CRC32C();
    sum.update(source);
    Path target = Files.createDirectories(Path.of("target").toAbsolutePath());
    Path program = target.resolve("faulty_mount-" + HexFormat.of().toHexDigits(sum.getValue()));
    if (!Files.exists(program)) {
      Path file = Files.write(Files.createTempFile("faulty_mount", ".c"), source);
      Path fresh = Files.createTempFile(target, "faulty_mount", ".new");
      run(
          ("gcc -O1 -Wall -D_FILE_OFFSET_BITS=64 -I/usr/include/fuse3 -o "
                  + (fresh + " " + file + " -lfuse3 -lpthread"))
              .split(" ", -1));
      Files.delete(file);
      Files.move(fresh, program, StandardCopyOption.ATOMIC_MOVE);
    }
    return program;
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (await(process) != 0) {
      throw new AssertionError(String.join(" ", command) + ": " + output);
    }
  }

  private static int await(Process process) {
    try {
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Where the backing directory is seen with its faults. */
  public Path path() {
    return point;
  }

  /** Each call of such a path fails from now on. */
  public Rule fail(Call call, String error, String pattern) {
    return fail(call, error, pattern, 0, -1);
  }

  /**
   * Calls fail after some that pass.
   *
   * @param error such as EIO
   * @param pattern as fnmatch(3) has it, of the path beneath the mount; a star matches slashes too;
   *     of calls with two paths either of them
   * @param after how many calls of such a path pass first
   * @param times how many fail then; -1: all
   */
  public Rule fail(Call call, String error, String pattern, int after, int times) {
    String name = call.name().toLowerCase(Locale.ROOT);
    String words = "rule\t%s\t%s\t%s\t%d\t%d".formatted(name, error, pattern, after, times);
    return new Rule(Integer.parseInt(command(words)));
  }

  /** Each call of such a path waits until the rule is removed, or the file system dies. */
  public Rule hang(Call call, String pattern) {
    return fail(call, "HANG", pattern);
  }

  /** Counts calls and changes nothing. */
  public Rule count(Call call, String pattern) {
    return fail(call, "COUNT", pattern);
  }

  /** Times are multiples of this, rounded down. */
  public void coarseTimes(Duration step) {
    set("step", step.toNanos());
  }

  /** Times are rounded down while no program has the file open, and exact otherwise. */
  public void roundWhileClosed(Duration step) {
    set("rounded", step.toNanos());
  }

  /** Times outside are shown as the first or the last second. */
  public void clampTimes(long earliestSecond, long latestSecond) {
    set("earliest", earliestSecond);
    set("latest", latestSecond);
  }

  /** Names that differ in case only are one name, in the spelling that came first. */
  public void foldNames() {
    set("fold", 1);
  }

  /** Names are kept in composed form (NFC, of Latin letters). */
  public void composeNames() {
    set("compose", 1);
  }

  /** Names are those of FAT: some characters are refused, and dots at the end are dropped. */
  public void refuseNames() {
    set("strip", 1);
    for (Call call : List.of(Call.CREATE, Call.MKNOD, Call.MKDIR, Call.SYMLINK, Call.RENAME)) {
      fail(call, "EINVAL", "*[:?*<>|\"\\\\]*");
    }
  }

  /** Each look at a file shows another inode. */
  public void changeInodes() {
    set("inodes", 1);
  }

  /** All regular files have the same inode. */
  public void equalInodes() {
    set("inodes", 2);
  }

  /** Each spelling of a name of a regular file shows another inode. */
  public void spellInodes() {
    set("inodes", 3);
  }

  /** The size of regular files with such a path is said to be 0. */
  public void hideSizes(String pattern) {
    command("set\tempty\t" + pattern);
  }

  private void set(String name, long value) {
    command("set\t" + name + "\t" + value);
  }

  private synchronized String command(String words) {
    try {
      commands.write(words + "\n");
      commands.flush();
      String answer = answers.readLine();
      if (answer == null || answer.startsWith("unknown")) {
        throw new AssertionError(words + ": " + answer + read(directory.resolve("errors")));
      }
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills the file system: each call that waits, and each later one, says ENOTCONN or the like. */
  public synchronized void die() {
    process.destroyForcibly();
    await(process);
  }

  /** Unmounts, and mounts again without faults: another device. */
  public synchronized void remount() {
    unmount();
    try {
      mount(program());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Unmounts, whatever still uses it; the empty directory beneath is seen. */
  public synchronized void unmount() {
    try {
      if (process != null) {
        process.getOutputStream().close();
        await(process);
      }
      if (Files.readString(Path.of("/proc/self/mountinfo")).contains(" " + point + " ")) {
        run("sh", "-c", "umount -l \"$0\" 2>/dev/null || fusermount3 -u -z \"$0\"", point + "");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    unmount();
    try {
      Files.deleteIfExists(point);
      Files.deleteIfExists(directory.resolve("errors"));
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What one rule did so far. */
  public final class Rule {
    private final int number;

    private Rule(int number) {
      this.number = number;
    }

    /** How many calls have failed, waited or were counted. */
    public int hits() {
      return Integer.parseInt(command("hits\t" + number));
    }

    /** Ends it; what waits goes on. */
    public void remove() {
      command("remove\t" + number);
    }
  }
}
