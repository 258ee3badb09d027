package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A jar without an archive of classes beside it: its first run makes one for the user. */
class StartCacheTest {
  private static final Path JAR = Path.of(System.getProperty("fdt.jar")).toAbsolutePath();
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");
  private static final Duration MAKING = Duration.ofSeconds(60);

  @RegisterExtension private final Lab lab = new Lab();
  private Path jar;
  private Path cache;

  @BeforeEach
  void copyTheJarAlone() throws IOException {
    jar = lab.root().resolve("fdt.jar");
    Files.copy(JAR, jar);
    cache = lab.root().resolve("caches").resolve("fdt");
    lab.environment("XDG_CACHE_HOME", cache.getParent().toString());
    lab.environment("FDT_CACHE", "");
  }

  /** Two first runs at once; a pipe from one of them ends with it, and not with the maker. */
  @Test
  void firstRunsMakeInTheBackgroundWhatLaterRunsStartFrom() {
    CommandProcess first = serve();
    assertThat(first.commandLine()).doesNotContain("-Dfdt.replaced=true");
    String script =
        "XDG_CACHE_HOME='%s' FDT_HOME='%s' '%s' -jar '%s' -V | cat; ls '%s'"
            .formatted(cache.getParent(), lab.root().resolve("home"), JAVA, jar, cache);
    String shown = new String(Shell.run(lab.root(), script), StandardCharsets.UTF_8);
    assertThat(shown).startsWith("fdt ").contains(".tried").doesNotMatch("(?s).*start-\\w+\n.*");
    first.signal("TERM");
    assertThat(first.end().status()).isZero();
    Path made = awaitMade();

    CommandProcess second = serve();
    assertThat(second.commandLine())
        .contains("-Dfdt.replaced=true", "-XX:SharedArchiveFile=" + made.resolve("fdt.jsa"));
    assertThat(second.hasMapped(made.resolve("fdt.jsa"))).isTrue();
    assertThat(second.mappedLibraries())
        .filteredOn(path -> path.toString().matches(".*(netty|jnidispatch).*"))
        .allMatch(path -> path.getParent().equals(made.resolve("fdt.native")));
    second.signal("TERM");
    assertThat(second.end().status()).isZero();
  }

  /** The other reasons not to use it, and two makers at once: StartCacheTest of fdt-cli. */
  @Test
  void anArchiveIsUsedUnlessOthersCanChangeIt() throws IOException {
    assertThat(startMaker().end().status()).isZero();
    Path made = awaitMade();
    assertStartsFromCache(true);

    Shell.run(made, "chmod o+w fdt.jsa");

    assertStartsFromCache(false);
  }

  @Test
  void switchedOffNothingIsMade() {
    lab.environment("FDT_CACHE", "off");
    assertThat(start("-V").end().status()).isZero();
    assertThat(cache).doesNotExist();
  }

  @Test
  void withoutPlaceTheCommandRunsAndSaysNothing() {
    // No directory can be made in it, also by root.
    lab.environment("XDG_CACHE_HOME", "/proc/self");
    Outcome outcome = start("-V").end();
    assertThat(outcome.status()).as("%s", outcome).isZero();
    assertThat(outcome.err()).isEmpty();
  }

  /** A limit of the size of files stands for a full disk. */
  @Test
  void archiveThatCannotBeWrittenLeavesNothing() throws IOException {
    Files.createDirectories(cache);
    List<String> command =
        List.of("bash", "-c", "ulimit -f 4000; exec \"$@\"", "bash", JAVA.toString());
    assertThat(lab.startProgram(withMaker(command)).end().status()).isNotZero();
    assertThat(Lab.names(cache, "fdt.jsa*")).isEmpty();
    assertThat(Lab.names(cache, "making-*")).isEmpty();
  }

  private CommandProcess start(String... arguments) {
    return lab.startJava(List.of("-Xmx300m", "-jar", jar.toString()), List.of(arguments));
  }

  private CommandProcess serve() {
    CommandProcess server = start("serve", "--bind", "127.0.0.1", "--port", "0", "/tmp");
    server.port();
    return server;
  }

  private CommandProcess startMaker() throws IOException {
    Files.createDirectories(cache);
    return lab.startProgram(withMaker(List.of(JAVA.toString())));
  }

  private List<String> withMaker(List<String> prefix) {
    List<String> command = new ArrayList<>(prefix);
    // As Launcher starts it.
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", jar.toString(), "io.fdt.cli.ClassArchive"));
    command.addAll(List.of("--cache", cache.toString()));
    return command;
  }

  /** The only archive of the cache, as soon as nothing else is there. */
  private Path awaitMade() {
    await()
        .atMost(MAKING)
        .untilAsserted(
            () -> {
              hurry();
              assertThat(Lab.names(cache, "fdt.jsa.stamp")).hasSize(1);
              assertThat(Lab.names(cache, "*.tried")).isEmpty();
              assertThat(Lab.names(cache, "making-*")).isEmpty();
              assertThat(Lab.names(cache, "start-*")).hasSize(1);
            });
    return cache.resolve(Lab.names(cache, "start-*").get(0)).normalize();
  }

  /**
   * Gives a maker in the background the usual priority, where this user may: it has the lowest one,
   * and on a busy machine would get no processor within the time of a test.
   */
  private void hurry() throws IOException {
    List<String> command = new ArrayList<>(List.of("renice", "-n", "0", "-p"));
    ProcessHandle.allProcesses()
        .filter(one -> one.info().commandLine().orElse("").contains(cache.toString()))
        .forEach(one -> command.add(Long.toString(one.pid())));
    if (command.size() > 4) {
      new ProcessBuilder(command)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    }
  }

  private void assertStartsFromCache(boolean expected) {
    CommandProcess server = serve();
    assertThat(server.commandLine().contains("-Dfdt.replaced=true")).isEqualTo(expected);
    server.kill(); // without a chance to start a maker
  }
}
