package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is installed starts one JVM, with the measured options: the command of the package, the unit
 * of systemd, the container.
 */
class InstalledStartTest {
  private static final Path JAR = Path.of(System.getProperty("fdt.jar")).toAbsolutePath();
  private static final Path PROJECT = JAR.resolve("../../..").normalize();
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin");

  @TempDir private static Path root;
  private static Path installed;
  private static Path command;

  @RegisterExtension private final Lab lab = new Lab();

  /** Making the archive takes longer than all tests of it: they leave it as it is. */
  @BeforeAll
  static void install() throws IOException {
    installed = Files.createDirectories(root.resolve("usr/share/fdt")).toRealPath();
    Files.copy(JAR, installed.resolve("fdt.jar"));
    Files.copy(PROJECT.resolve("dist/fdt"), installed.resolve("fdt"));
    command = Files.createDirectories(root.resolve("usr/bin")).resolve("fdt");
    Files.createSymbolicLink(command, Path.of("../share/fdt/fdt"));
    Shell.run(
        installed,
        "chmod 755 fdt; JAVA_HOME='%s' '%s/scripts/class-archive.sh' fdt.jar"
            .formatted(JAVA.getParent(), PROJECT));
  }

  @BeforeEach
  void findJava() {
    lab.environment("PATH", JAVA + ":/usr/bin:/bin");
  }

  @Test
  void commandStartsOneJvmWithTheMeasuredOptions() throws IOException {
    Programs.require("strace");
    Path trace = lab.root().resolve("trace");
    List<String> traced =
        List.of("strace", "-f", "-qq", "-e", "execve", "-e", "status=successful", "-o");
    List<String> line = new ArrayList<>(traced);
    line.addAll(List.of(trace.toString(), command.toString(), "-V"));
    Outcome outcome = lab.startProgram(line).end();
    assertThat(outcome.status()).as("%s", outcome).isZero();
    assertThat(outcome.out()).startsWith("fdt ");
    assertThat(Files.readAllLines(trace)).filteredOn(l -> l.contains("/java\"")).hasSize(1);

    assertIsMeasured(
        List.of(command.toString(), "serve", "--bind", "127.0.0.1", "--port", "0", "/tmp"));
  }

  @Test
  void helpErrorsAndManPageSayWhatTheCommandIsCalled() {
    for (String words : List.of("", "--help", "copy --help", "copy --no-such", "completion man")) {
      List<String> line = new ArrayList<>(List.of(command.toString()));
      line.addAll(words.isEmpty() ? List.of() : List.of(words.split(" ")));
      Outcome outcome = lab.startProgram(line).end();
      assertThat(outcome.out() + outcome.err()).as(words).contains("fdt").doesNotContain("-jar");
    }
  }

  @Test
  void everyWordReachesTheCommand() {
    lab.environment("FDT_JAVA_OPTIONS", "-Xmx200m -Dx=*");
    CommandProcess server =
        lab.startProgram(
            List.of(command.toString(), "serve", "--port", "0", "--export", "a b\n*=/tmp"));
    server.port();
    assertThat(server.commandLine())
        .containsSubsequence("-Xmx200m", "-Dx=*", "-jar", "serve", "--export", "a b\n*=/tmp");
    server.signal("TERM");
    assertThat(server.end().status()).isZero();
  }

  @Test
  void unitStartsOneJvmWithTheMeasuredOptions() throws IOException {
    String unit = Files.readString(PROJECT.resolve("dist/fdt.service"));
    Matcher variables = Pattern.compile("(?m)^Environment=(\\w+)=(.*)$").matcher(unit);
    while (variables.find()) {
      if (!variables.group(1).equals("FDT_HOME")) {
        lab.environment(variables.group(1), variables.group(2));
      }
    }
    Matcher start = Pattern.compile("(?m)^ExecStart=(.*)$").matcher(unit);
    assertThat(start.find()).isTrue();
    Path settings = lab.root().resolve("fdt.conf");
    Files.writeString(settings, "port = 0\nbind = 127.0.0.1\nexport = x=" + lab.root() + "\n");
    CommandProcess server =
        assertIsMeasured(
            List.of(
                start
                    .group(1)
                    .replace("/usr/local/lib/fdt", installed.toString())
                    .replace("/etc/fdt/fdt.conf", settings.toString())
                    .split(" ")));
    assertThat(server.commandLine()).contains("-Xmx1g");
  }

  /** Kubernetes refuses a name as the user of a container that must not be root. */
  @ParameterizedTest
  @ValueSource(strings = {"dist/Dockerfile", "dist/service/Dockerfile"})
  void imagesHaveANumericUserAndTheBuilderGetsWhatTheyTakeOnly(String name) throws IOException {
    String image = Files.readString(PROJECT.resolve(name));
    String user = only(image, "(?m)^USER (\\S+)$");

    assertThat(user).matches("[1-9][0-9]*");
    assertThat(only(image, "useradd .*--uid (\\S+)")).isEqualTo(user);
    List<String> sent = Files.readAllLines(PROJECT.resolve(".dockerignore"));
    assertThat(sent).contains("*");
    assertThat(sent)
        .containsAll(
            Stream.of(only(image, "(?m)^COPY (.*) \\S+$").split(" "))
                .map(file -> "!" + file)
                .toList());
  }

  private static String only(String text, String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as(pattern).isTrue();
    return found.group(1);
  }

  /** The check of a container, beside a server that runs and one that does not. */
  @Test
  void theHealthCheckAsksThePortOfTheServer() throws IOException {
    String image = Files.readString(PROJECT.resolve("dist/Dockerfile"));
    String check = only(image, "(?s)HEALTHCHECK .*?CMD \\[\"bash\", \"-c\", \"(.*?)\"]");
    RunningCommand server = lab.serve("--export", lab.directory("source").toString());

    Shell.run(lab.root(), "FDT_SERVE_PORT=" + server.port() + " bash -c '" + check + "'");
    Shell.run(lab.root(), "! FDT_SERVE_PORT=1 bash -c '" + check + "' 2>&-");
  }

  @Test
  void containerStartsOneJvmWithTheMeasuredOptions() throws IOException {
    String image = Files.readString(PROJECT.resolve("dist/Dockerfile"));
    // As install() has it.
    assertThat(image)
        .contains("COPY fdt-cli/target/fdt.jar dist/fdt scripts/class-archive.sh /usr/share/fdt/\n")
        .contains("ln -s ../share/fdt/fdt /usr/bin/fdt")
        .contains("class-archive.sh /usr/share/fdt/fdt.jar\n");
    List<String> words = new ArrayList<>();
    for (String key : List.of("ENTRYPOINT", "CMD")) {
      Matcher list = Pattern.compile("(?m)^" + key + " \\[(.*)]$").matcher(image);
      assertThat(list.find()).as(key).isTrue();
      for (String word : list.group(1).split(", *")) {
        words.add(word.replace("\"", ""));
      }
    }
    lab.environment("PATH", command.getParent() + ":" + JAVA + ":/usr/bin:/bin");
    lab.environment("FDT_SERVE_PORT", "0");
    lab.environment("FDT_SERVE_BIND", "127.0.0.1");
    lab.environment("FDT_SERVE_EXPORT", "x=" + lab.root());
    assertIsMeasured(words);
  }

  private CommandProcess assertIsMeasured(List<String> line) {
    CommandProcess server = lab.startProgram(line);
    server.port();
    assertThat(server.hasMapped(installed.resolve("fdt.jsa"))).as("%s", server).isTrue();
    assertThat(server.commandLine())
        .contains("@" + installed.resolve("fdt.jvm"), "serve")
        .doesNotContain("-Dfdt.replaced=true");
    assertThat(server.mappedLibraries())
        .filteredOn(path -> path.toString().matches(".*(netty|jnidispatch).*"))
        .allMatch(path -> path.getParent().equals(installed.resolve("fdt.native")));
    return server;
  }

  @Test
  void clientIsCompiledByTheFirstCompilerOnlyAsTheLauncherDoesIt() throws IOException {
    // The JVM is one that only shows its words.
    Path shown = lab.directory("shown");
    Path java = shown.resolve("java");
    Files.writeString(java, "#!/bin/sh\nfor w; do echo \"$w\"; done\n");
    Shell.run(shown, "chmod 755 java");
    Shell.run(
        installed,
        "cp -p fdt.jvm made; { stat -c '# %n %s %Y' '"
            + java
            + "' $PWD/fdt.jar; echo; } > fdt.jvm");
    try {
      assertFirstCompilerIsForClients();
    } finally {
      Shell.run(installed, "mv made fdt.jvm");
    }
  }

  private void assertFirstCompilerIsForClients() throws IOException {
    Path large = lab.directory("large");
    Shell.run(large, "truncate -s 8M file");
    for (String client :
        List.of("-c host -r /data", "-P 4 -c host a", "copy a host:/b", "ls host:/", "-c=x a")) {
      assertThat(words(client))
          .contains("-XX:TieredStopAtLevel=1")
          .noneMatch(word -> word.startsWith("-XX:CompileCommand="));
    }
    for (String other :
        List.of(
            "serve --export a=b",
            "-p 54321",
            "-S",
            "",
            "-c host --checksum sha256 /data",
            "copy --checksum=blake3 a host:/b",
            "-c host --encrypt /data",
            "copy " + large.resolve("file") + " host:/b")) {
      assertThat(words(other))
          .contains("-XX:CompileCommand=CompileThresholdScaling,com.sun.crypto.provider.*::*,0.001")
          .doesNotContain("-XX:TieredStopAtLevel=1");
    }
  }

  @Test
  void withoutFittingFilesOrWithAnotherCollectorTheJarStartsAsItIs() throws IOException {
    lab.environment("FDT_JAVA_OPTIONS", "-XX:+UseParallelGC");
    assertThat(lab.startProgram(List.of(command.toString(), "-V")).end().out()).startsWith("fdt ");
    lab.environment("FDT_JAVA_OPTIONS", "");
    Shell.run(installed, "touch -r fdt.jar made; touch -d '1 hour ago' fdt.jar");
    try {
      Outcome outcome = lab.startProgram(List.of(command.toString(), "-V")).end();
      assertThat(outcome.out()).startsWith("fdt ");
      assertThat(outcome.err()).isEmpty();
    } finally {
      Shell.run(installed, "touch -r made fdt.jar; rm made");
    }
  }

  private List<String> words(String arguments) {
    String script =
        "PATH='%s/shown:/usr/bin:/bin' '%s' %s".formatted(lab.root(), command, arguments);
    return new String(Shell.run(lab.root(), script), StandardCharsets.UTF_8).lines().toList();
  }
}
