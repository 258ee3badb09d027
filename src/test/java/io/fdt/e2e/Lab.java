package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The place of one end-to-end test: an empty directory, and processes from the built jar that never
 * outlive the test.
 *
 * <p>After each test it checks what must hold whatever happened: no unfinished file is left in the
 * directory, and no process showed a stack trace. Confined to the thread of the test, but for
 * {@link #start}.
 */
final class Lab implements BeforeEachCallback, AfterEachCallback {
  private static final Path JAR =
      Path.of(System.getProperty("fdt.jar")).toAbsolutePath().normalize();
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  private final List<RunningJar> started = new ArrayList<>();
  private Path root;
  private boolean unfinishedFilesMayStay;
  private String locale = "C.UTF-8";
  private final Map<String, String> environment = new HashMap<>();

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    root = Files.createTempDirectory("fdt-e2e-");
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectory(root.resolve("output"));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    started.forEach(RunningJar::kill);
    try {
      assertThat(strayFiles()).as("unfinished files, and journals").isEmpty();
      for (RunningJar process : started) {
        assertThat(process.err()).doesNotContain("\tat ", "    at ", "Exception");
      }
    } finally {
      Shell.run(Path.of("/"), "chmod -R u+rwX '" + root + "'; rm -rf '" + root + "'");
    }
  }

  /** The directory of this test. */
  Path root() {
    return root;
  }

  /** Makes a directory in that of this test. */
  Path directory(String name) {
    try {
      return Files.createDirectories(root.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The locale of processes that are started from now on. */
  void locale(String name) {
    locale = name;
  }

  /** A variable for processes that are started from now on. */
  void environment(String name, String value) {
    environment.put(name, value);
  }

  /**
   * Starts a server, on any free port unless told otherwise, and waits until clients can connect;
   * the options are those of serve.
   */
  RunningJar serve(String... options) {
    List<String> arguments = new ArrayList<>(List.of("serve", "--bind", "127.0.0.1"));
    arguments.addAll(List.of(options));
    if (!arguments.contains("--port")) {
      arguments.addAll(List.of("--port", "0"));
    }
    RunningJar server = start(root, arguments.toArray(String[]::new));
    server.port();
    return server;
  }

  /** Runs the jar in a directory until it ends. */
  Outcome run(Path directory, String... arguments) {
    return start(directory, arguments).end();
  }

  /** The same as a user with this home. */
  Outcome runAt(Path home, Path directory, String... arguments) {
    List<String> command = new ArrayList<>(java());
    command.addAll(List.of(arguments));
    return start(directory, command, home).end();
  }

  /** Starts the jar in a directory. Any thread. */
  RunningJar start(Path directory, String... arguments) {
    List<String> command = new ArrayList<>(java());
    command.addAll(List.of(arguments));
    return start(directory, command);
  }

  /**
   * Runs the jar; the arguments are the source text of shell words, so that they can be any bytes.
   */
  Outcome runWords(Path directory, String words) {
    return startWords(directory, words).end();
  }

  /** Runs a script for bash in which "$@" are the words that run the jar. */
  Outcome runScript(Path directory, String script) {
    List<String> command = new ArrayList<>(List.of("bash", "-uc", script, "bash"));
    command.addAll(java());
    return start(directory, command).end();
  }

  /** Starts the same. */
  RunningJar startWords(Path directory, String words) {
    List<String> command = new ArrayList<>(List.of("bash", "-c", "exec \"$@\" " + words, "bash"));
    command.addAll(java());
    return start(directory, command);
  }

  /** Runs Java with options of the test's own until it ends. */
  Outcome runJava(List<String> options, List<String> program) {
    return startJava(options, program).end();
  }

  /** Starts Java with options of the test's own. */
  RunningJar startJava(List<String> options, List<String> program) {
    List<String> command = new ArrayList<>(List.of(JAVA.toString()));
    command.addAll(options);
    command.addAll(program);
    return start(root, command);
  }

  /**
   * Runs the jar with system calls that fail.
   *
   * @param injection which, in the words of strace: "fsync:error=EIO:when=2" is the second fsync of
   *     each thread
   */
  Outcome runInjected(Path directory, String injection, String... arguments) {
    String call = injection.substring(0, injection.indexOf(':'));
    return runTraced(
        directory, List.of("-o", "/dev/null", "-e", call, "-e", "inject=" + injection), arguments);
  }

  /** Runs the jar under strace, with these options of it. */
  Outcome runTraced(Path directory, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>(List.of("strace", "-f", "--seccomp-bpf", "-qq"));
    command.addAll(options);
    command.addAll(java());
    command.addAll(List.of(arguments));
    return start(directory, command).end();
  }

  /** Starts the jar by the words of another program, which runs it. */
  RunningJar startUnder(List<String> prefix, String... arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(java());
    command.addAll(List.of(arguments));
    return start(root, command);
  }

  /** Starts a program that is not Java itself. */
  RunningJar startProgram(List<String> command) {
    return start(root, command);
  }

  /** Runs the jar as a user who may do nothing special, whoever runs this test. */
  Outcome runAsNobody(Path directory, String... arguments) {
    List<String> command = new ArrayList<>(Nobody.prefix());
    command.addAll(List.of(JAVA.toString(), "-jar", Nobody.legible(JAR, root).toString()));
    command.addAll(List.of(arguments));
    return start(directory, command, Nobody.home(root)).end();
  }

  /** The words of a client of this server, before others. */
  static String[] clientOf(RunningJar server, String... words) {
    List<String> all =
        new ArrayList<>(List.of("-c", "127.0.0.1", "-p", Integer.toString(server.port())));
    all.addAll(List.of(words));
    return all.toArray(String[]::new);
  }

  private static List<String> java() {
    return List.of(JAVA.toString(), "-jar", JAR.toString());
  }

  private RunningJar start(Path directory, List<String> command) {
    return start(directory, command, root.resolve("home"));
  }

  private synchronized RunningJar start(Path directory, List<String> command, Path home) {
    // Whoever runs the tests in the background may have SIGINT ignored, which children inherit.
    List<String> interruptible = new ArrayList<>(List.of("env", "--default-signal=INT"));
    interruptible.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(interruptible).directory(directory.toFile());
    builder.environment().put("LC_ALL", locale);
    builder.environment().put("FDT_HOME", home.toString());
    // Nothing that a test starts outlives it.
    builder.environment().put("FDT_CACHE", "off");
    builder.environment().putAll(environment);
    String name = Integer.toString(started.size());
    RunningJar process =
        RunningJar.start(
            builder,
            root.resolve("output").resolve(name + ".out"),
            root.resolve("output").resolve(name + ".err"));
    started.add(process);
    return process;
  }

  /**
   * Waits until so many mebibytes of a file that grows beneath a directory have been written. Its
   * space is reserved at once, so that its size says nothing; one byte of each mebibyte is looked
   * at.
   */
  static void awaitUnfinished(Path directory, int mebibytes) {
    await("an unfinished file with %d MiB in %s".formatted(mebibytes, directory))
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> writtenMebibytes(directory) >= mebibytes);
  }

  private static long writtenMebibytes(Path directory) throws IOException {
    long written = 0;
    for (String name : unfinishedFiles(directory)) {
      try (FileChannel channel = FileChannel.open(directory.resolve(name))) {
        for (long offset = 17; offset < channel.size(); offset += 1 << 20) {
          ByteBuffer sample = ByteBuffer.allocate(2);
          channel.read(sample, offset);
          written += sample.getShort(0) != 0 ? 1 : 0;
        }
      } catch (NoSuchFileException e) {
        return 0; // it has just been finished or removed
      }
    }
    return written;
  }

  /** The names of files that are not complete, anywhere beneath a directory. */
  static List<String> unfinishedFiles(Path directory) {
    return names(directory, ".fdt-????????????????.part");
  }

  /**
   * This test ends in the middle of a transfer: a file that is not complete may stay with its
   * journal.
   */
  void leavesUnfinishedFiles() {
    unfinishedFilesMayStay = true;
  }

  private List<String> strayFiles() {
    List<String> unfinished = unfinishedFiles(root);
    List<String> journals = names(root, ".fdt-????????????????.journal");
    List<String> strays = new ArrayList<>(names(root, ".fdt-????????????????.*"));
    if (unfinishedFilesMayStay) {
      strays.removeIf(
          name ->
              journals.contains(withSuffix(name, ".journal"))
                  && unfinished.contains(withSuffix(name, ".part")));
    }
    return strays;
  }

  /** The same name with its last part exchanged: .part, .journal or .journal.new. */
  private static String withSuffix(String name, String suffix) {
    return name.replaceFirst("\\.(part|journal|journal\\.new)$", suffix);
  }

  /** What has a name like this beneath a directory. */
  static List<String> names(Path directory, String pattern) {
    byte[] names = Shell.run(directory, "find . -name '" + pattern + "' 2>/dev/null || true");
    return new String(names, StandardCharsets.ISO_8859_1).lines().toList();
  }
}
