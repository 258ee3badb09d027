package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The process that replaces its Java machine by one that starts from the archive of classes. */
class LauncherTest {
  private static final Path JAR = Path.of(System.getProperty("fdt.jar")).toAbsolutePath();
  private static final Path ARCHIVE = JAR.resolveSibling("fdt.jsa");

  @RegisterExtension private final Lab lab = Lab.ofStarts();

  @Test
  void sameProcessGoesOnWithTheArchiveAndKeepsEveryArgument() {
    assertThat(ARCHIVE).isNotEmptyFile();
    CommandProcess server =
        lab.serveProcess("--export", "a b\nc=" + lab.directory("x"), "--anonymous", "ro");
    assertThat(server.commandLine())
        .contains("-Dfdt.replaced=true")
        .anyMatch(word -> word.startsWith("-XX:SharedArchiveFile=") && word.endsWith("/fdt.jsa"))
        .containsSubsequence("-jar", "serve", "--export", "a b\nc=" + lab.root().resolve("x"));
    server.signal("TERM");
    assertThat(server.end().status()).isZero();
  }

  /** The second one is for digests that the first one makes slowly. */
  @Test
  void copyIsCompiledByTheFirstCompilerOnlyUnlessItHasOtherDigests() throws IOException {
    Files.write(lab.directory("x").resolve("file"), new byte[1 << 20]);
    CommandProcess server = lab.serveProcess("--export", "x=x", "--anonymous", "ro");
    List<String> plain = List.of("-pull", "-d", "plain", "-limit", "1Mbit/s", "/x/file");
    assertThat(commandLineOfClient(server, plain))
        .contains("-XX:TieredStopAtLevel=1")
        .noneMatch(word -> word.startsWith("-XX:CompileCommand="));
    List<String> other = new ArrayList<>(List.of("--checksum", "sha256"));
    other.addAll(plain);
    assertThat(commandLineOfClient(server, other))
        .contains("-Dfdt.replaced=true")
        .contains("-XX:CompileCommand=CompileThresholdScaling,com.sun.crypto.provider.*::*,0.001")
        .doesNotContain("-XX:TieredStopAtLevel=1");
  }

  private List<String> commandLineOfClient(RunningCommand server, List<String> words) {
    CommandProcess client =
        lab.startProcess(lab.root(), Lab.clientOf(server, words.toArray(String[]::new)));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> client.commandLine().contains("-Dfdt.replaced=true"));
    List<String> line = client.commandLine();
    client.signal("TERM");
    assertThat(client.end().status()).isNotZero();
    return line;
  }

  @Test
  void archiveIsMappedWhole() throws IOException {
    // Required, not merely allowed: an archive that does not fit the jar would end the machine.
    Outcome outcome =
        lab.runJava(
            List.of("-Dfdt.replaced=true", "-Xshare:on", "-XX:+UseSerialGC"),
            List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-jar", JAR.toString(), "-V"));
    assertThat(outcome.status()).as("%s", outcome).isZero();
    assertThat(outcome.out()).startsWith("fdt ");
  }

  /** If it fails: scripts/class-list.sh JAVA_HOME... records the list of classes again. */
  @Test
  void nearlyAllClassesOfAServerComeFromTheArchive() throws IOException {
    List<String> options = new ArrayList<>();
    for (String line : Files.readAllLines(JAR.resolveSibling("fdt.jvm"))) {
      if (line.startsWith("\"") && !line.contains("-Xlog")) {
        options.add(line.replace("\"", ""));
      }
    }
    Path log = lab.root().resolve("classes");
    options.add("-Xlog:class+load:file=" + log);
    CommandProcess server =
        lab.startJava(
            options,
            List.of("-jar", JAR.toString(), "serve", "--bind", "127.0.0.1", "--port", "0", "/tmp"));
    server.port();
    server.kill();
    List<String> loaded = Files.readAllLines(log);
    List<String> others = new ArrayList<>(loaded);
    others.removeIf(line -> line.contains("source: shared objects file"));
    assertThat(others).hasSizeLessThan(loaded.size() / 20);
  }

  /** Otherwise each start would unpack them, three megabytes. */
  @Test
  void nativeLibrariesComeFromBesideTheJar() {
    CommandProcess server = lab.serveProcess("--anonymous", "ro", "/tmp");
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(server.mappedLibraries())
                    .filteredOn(path -> path.toString().matches(".*(netty|jnidispatch).*"))
                    .hasSize(3)
                    .allMatch(path -> path.getParent().endsWith("fdt.native")));
  }

  @Test
  void librariesThatOthersCanChangeAreLeftAlone() throws IOException {
    Path jar = lab.root().resolve("fdt.jar");
    Files.copy(JAR, jar, StandardCopyOption.COPY_ATTRIBUTES);
    Files.copy(ARCHIVE, lab.root().resolve("fdt.jsa"));
    String stamp = Files.readString(JAR.resolveSibling("fdt.jsa.stamp"));
    Files.writeString(
        lab.root().resolve("fdt.jsa.stamp"),
        stamp.replace(JAR.toRealPath().toString(), jar.toRealPath().toString()));
    Path library = lab.directory("fdt.native").resolve("libjnidispatch.so");
    Files.copy(JAR.resolveSibling("fdt.native").resolve(library.getFileName()), library);

    Files.setPosixFilePermissions(library, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(commandLineOfServer(jar))
        .contains("-Dfdt.replaced=true", "-Djava.library.path=" + library.getParent());

    Files.setPosixFilePermissions(library, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThat(commandLineOfServer(jar))
        .contains("-Dfdt.replaced=true")
        .noneMatch(word -> word.contains(".library.path=" + library.getParent()));
  }

  private List<String> commandLineOfServer(Path jar) {
    CommandProcess server =
        lab.startJava(List.of(), List.of("-jar", jar.toString(), "serve", "--port", "0", "/tmp"));
    server.port();
    List<String> line = server.commandLine();
    server.signal("TERM");
    assertThat(server.end().status()).isZero();
    return line;
  }

  /** Otherwise a signal that the first JVM has caught would be lost with it. */
  @Test
  void signalThatComesWhileTheProcessIsReplacedEndsIt() {
    Programs.require("strace");
    // Each execve waits: the one of strace, and then the one of the first JVM.
    CommandProcess server =
        lab.startUnder(
            List.of(
                "strace",
                "-D",
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                "execve",
                "-e",
                "inject=execve:delay_enter=3000000"),
            "serve",
            "--port",
            "0",
            "/tmp");
    Duration deadline = Duration.ofSeconds(60);
    await().atMost(deadline).until(() -> catches(server, 15));
    await().atMost(deadline).pollInterval(Duration.ofMillis(20)).until(() -> !catches(server, 15));
    assertThat(catches(server, 1) || catches(server, 2)).isFalse();
    assertThat(server.commandLine()).doesNotContain("-Dfdt.replaced=true");
    server.signal("TERM");
    assertThat(server.end().status()).isEqualTo(143);
    assertThat(server.out()).isEmpty();
  }

  private static boolean catches(CommandProcess process, int signal) {
    return (Long.parseUnsignedLong(process.status("SigCgt"), 16) >> (signal - 1) & 1) != 0;
  }

  @Test
  void replacedMachineHasTheMaskAndTheIgnoredSignalsThatTheProcessWasStartedWith() {
    Programs.require("perl");
    // SIGUSR1 is 10 and SIGHUP 1. A JVM of its own blocks SIGQUIT, 3, in its threads.
    String program =
        "use POSIX; $SIG{HUP} = 'IGNORE';"
            + " sigprocmask(SIG_SETMASK, POSIX::SigSet->new(SIGUSR1)); exec @ARGV";
    CommandProcess server =
        lab.startUnder(
            List.of("perl", "-e", program), "serve", "--bind", "127.0.0.1", "--port", "0", "/tmp");
    server.port();
    assertThat(server.commandLine()).contains("-Dfdt.replaced=true");
    assertThat(server.status("SigBlk")).isEqualTo("0000000000000200");
    assertThat(Long.parseUnsignedLong(server.status("SigIgn"), 16) & 1).isEqualTo(1);
    assertThat(catches(server, 15)).isTrue();
    server.signal("HUP");
    server.signal("TERM");
    assertThat(server.end().status()).isZero();
  }

  @Test
  void memoryAndPropertiesThatTheUserChoosesAreKept() {
    CommandProcess server =
        lab.startJava(
            List.of("-Xmx200m", "-Da=b c"),
            List.of("-jar", JAR.toString(), "serve", "--bind", "127.0.0.1", "--port", "0", "/tmp"));
    server.port();
    assertThat(server.commandLine())
        .containsSubsequence("-Dfdt.replaced=true", "-Xmx200m", "-Da=b c", "-jar");
  }

  @Test
  void whoChoosesOptionsForJavaKeepsThem() {
    CommandProcess server =
        lab.startJava(
            List.of("-Xmx200m", "-XX:+UseParallelGC"),
            List.of("-jar", JAR.toString(), "serve", "--port", "0", "/tmp"));
    server.port();
    assertThat(server.commandLine()).contains("-Xmx200m").doesNotContain("-Dfdt.replaced=true");
  }

  @Test
  void withoutArchiveOrWithABrokenOneTheCommandRunsAndSaysNothing() throws IOException {
    Path jar = lab.root().resolve("fdt.jar");
    Files.copy(JAR, jar, StandardCopyOption.COPY_ATTRIBUTES);
    Outcome without = lab.runJava(List.of(), List.of("-jar", jar.toString(), "-V"));
    Files.writeString(lab.root().resolve("fdt.jsa"), "no archive");
    Outcome broken = lab.runJava(List.of(), List.of("-jar", jar.toString(), "-V"));
    for (Outcome outcome : List.of(without, broken)) {
      assertThat(outcome.status()).as("%s", outcome).isZero();
      assertThat(outcome.out()).matches("fdt \\S+ \\(Java [^\\n]*\\)\\n");
      assertThat(outcome.err()).isEmpty();
    }
  }
}
