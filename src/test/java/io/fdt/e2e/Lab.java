package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.core.model.ByteText;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The place of one end-to-end test: an empty directory, and commands that never outlive the test.
 *
 * <p>Commands run in this JVM, unless the test is about processes: signals, pipes, locales, options
 * of Java. Those run from the built jar.
 *
 * <p>After each test it checks what must hold whatever happened: no unfinished file is left in the
 * directory, no command showed a stack trace, and those in this JVM left no thread and no open
 * file. Confined to the thread of the test, but for {@link #start}.
 */
public final class Lab implements BeforeEachCallback, AfterEachCallback {
  private static final Path JAR =
      Path.of(System.getProperty("fdt.jar")).toAbsolutePath().normalize();
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  /** The property that has processes make their calls on files by Java, as this JVM does. */
  private static final List<String> STORAGE =
      Stream.ofNullable(System.getProperty("fdt.storage"))
          .map(storage -> "-Dfdt.storage=" + storage)
          .toList();

  /** Words of a command, and a file that one of its standard streams is. */
  private static final Pattern WITH_FILE =
      Pattern.compile("(?s)(?<words>[^<>]*)(< (?<in>/dev/null|\\w+)|> (?<out>\\w+))?");

  private static final List<String> PLAIN_JAVA = java("-jar", JAR.toString());

  /** As dist/fdt starts a client: one JVM, and its first compiler only. */
  private static final List<String> QUICK_JAVA =
      java("@" + JAR.resolveSibling("fdt.jvm"), "-XX:TieredStopAtLevel=1", "-jar", JAR.toString());

  /** An address of this machine that no test uses. */
  private static final String KEEPER = "127.54.32.1";

  private static final String USUAL_LOCALE = "C.UTF-8";
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  private final List<RunningCommand> started = new ArrayList<>();
  private final Map<Integer, Socket> keepers = new HashMap<>();
  private final boolean processesOnly;
  private final List<String> java;
  private Path root;
  private boolean unfinishedFilesMayStay;
  private String locale = USUAL_LOCALE;
  private final Map<String, String> environment = new HashMap<>();

  public Lab() {
    this(false, QUICK_JAVA);
  }

  private Lab(boolean processesOnly, List<String> java) {
    this.processesOnly = processesOnly;
    this.java = java;
  }

  private static List<String> java(String... options) {
    List<String> command = new ArrayList<>(List.of(JAVA.toString()));
    command.addAll(STORAGE);
    command.addAll(List.of(options));
    return List.copyOf(command);
  }

  /** One in which each command is a process of its own. */
  public static Lab ofProcesses() {
    return new Lab(true, QUICK_JAVA);
  }

  /** One whose processes start as {@code java -jar fdt.jar} does. */
  public static Lab ofStarts() {
    return new Lab(false, PLAIN_JAVA);
  }

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    root = Files.createTempDirectory("fdt-e2e-");
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectory(root.resolve("output"));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    started.stream().filter(CommandProcess.class::isInstance).forEach(RunningCommand::kill);
    try {
      assertThat(strayFiles()).as("unfinished files, and journals").isEmpty();
    } finally {
      endAll();
    }
  }

  private void endAll() {
    try {
      List<AssertionError> problems = new ArrayList<>();
      for (RunningCommand command : started) {
        try {
          command.stop();
        } catch (ConditionTimeoutException | AssertionError e) {
          problems.add(new AssertionError("cannot be stopped: " + command, e));
        }
      }
      assertThat(problems).isEmpty();
      for (RunningCommand command : started) {
        assertThat(command.err()).doesNotContain("\tat ", "    at ", "Exception");
      }
      if (started.stream().anyMatch(CommandInJvm.class::isInstance)) {
        assertThat(openFiles()).as("open files").isEmpty();
      }
    } finally {
      closeKeepers();
      Shell.run(Path.of("/"), "chmod -R u+rwX '" + root + "'; rm -rf '" + root + "'");
    }
  }

  /** The files beneath the directory of this test that this JVM has open. */
  private List<Path> openFiles() {
    List<Path> open = new ArrayList<>();
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OPEN_FILES)) {
      for (Path descriptor : descriptors) {
        Optional<Path> file = target(descriptor);
        file.filter(path -> path.startsWith(root)).ifPresent(open::add);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return open;
  }

  private static Optional<Path> target(Path link) throws IOException {
    try {
      return Optional.of(Files.readSymbolicLink(link));
    } catch (NoSuchFileException e) {
      return Optional.empty(); // closed since
    }
  }

  /** The directory of this test. */
  public Path root() {
    return root;
  }

  /** Makes a directory in that of this test. */
  public Path directory(String name) {
    try {
      return Files.createDirectories(root.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The locale of commands that are started from now on: as processes, where it is not UTF-8. */
  public void locale(String name) {
    locale = name;
  }

  /** A variable for commands that are started from now on. */
  public void environment(String name, String value) {
    environment.put(name, value);
  }

  /**
   * Starts a server, on any free port unless told otherwise, and waits until clients can connect;
   * the options are those of serve.
   */
  public RunningCommand serve(String... options) {
    RunningCommand server = start(root, serving(options));
    keepPort(server.port());
    return server;
  }

  /** The same for another user, who has another home. */
  public RunningCommand serveAt(Path home, String... options) {
    RunningCommand server = start(home, root, List.of(serving(options)));
    keepPort(server.port());
    return server;
  }

  /** The same as a process of its own. */
  public CommandProcess serveProcess(String... options) {
    CommandProcess server = startProcess(root, serving(options));
    keepPort(server.port());
    return server;
  }

  /** The same for another user, who has another home. */
  public CommandProcess serveProcessAt(Path home, String... options) {
    List<String> command = new ArrayList<>(java);
    command.addAll(List.of(serving(options)));
    CommandProcess server = start(root, command, home);
    keepPort(server.port());
    return server;
  }

  /**
   * Nobody gets the port of a server by chance, so that the server can have it again: the system
   * gives connections no port that is bound at any address.
   */
  private void keepPort(int port) {
    Socket keeper = keepers.computeIfAbsent(port, kept -> new Socket());
    if (keeper.isBound()) {
      return;
    }
    try {
      keeper.setReuseAddress(true);
      keeper.bind(new InetSocketAddress(KEEPER, port));
    } catch (BindException e) {
      // The server listens at all addresses.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void closeKeepers() {
    try {
      for (Socket keeper : keepers.values()) {
        keeper.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String[] serving(String... options) {
    List<String> arguments = new ArrayList<>(List.of("serve", "--bind", "127.0.0.1"));
    arguments.addAll(List.of(options));
    if (!arguments.contains("--port")) {
      arguments.addAll(List.of("--port", "0"));
    }
    if (arguments.contains("--relay") && !arguments.contains("--relay-to")) {
      arguments.addAll(List.of("--relay-to", "127.0.0.0/8")); // where all servers of a test are
    }
    return arguments.toArray(String[]::new);
  }

  /** Runs the command in a directory until it ends. */
  public Outcome run(Path directory, String... arguments) {
    return start(directory, arguments).end();
  }

  /** The same as a user with this home. */
  public Outcome runAt(Path home, Path directory, String... arguments) {
    return start(home, directory, List.of(arguments)).end();
  }

  /** The same as a process of its own. */
  public Outcome runProcess(Path directory, String... arguments) {
    return startProcess(directory, arguments).end();
  }

  /** Starts the command in a directory. Any thread. */
  public RunningCommand start(Path directory, String... arguments) {
    return start(home(), directory, List.of(arguments));
  }

  /** The same in this JVM, with standard streams that it closes at its end. Any thread. */
  public synchronized RunningCommand start(
      Path directory, List<String> arguments, InputStream in, OutputStream out) {
    CommandInJvm command = CommandInJvm.start(directory, variables(home()), arguments, in, out);
    started.add(command);
    return command;
  }

  /** The same as a user with this home. */
  public RunningCommand startAt(Path home, Path directory, String... arguments) {
    return start(home, directory, List.of(arguments));
  }

  /** Starts the command as a process of its own. Any thread. */
  public CommandProcess startProcess(Path directory, String... arguments) {
    List<String> command = new ArrayList<>(java);
    command.addAll(List.of(arguments));
    return start(directory, command);
  }

  /**
   * Runs the command; the arguments are the source text of shell words, so that they can be any
   * bytes.
   */
  public Outcome runWords(Path directory, String words) {
    return startWords(directory, words).end();
  }

  /** Runs a script for bash in which "$@" are the words that run the jar. */
  public Outcome runScript(Path directory, String script) {
    List<String> command = new ArrayList<>(List.of("bash", "-uc", script, "bash"));
    command.addAll(java);
    return start(directory, command).end();
  }

  /**
   * Starts the command of {@link #runWords}. One standard stream may be a regular file or
   * /dev/null, at the end of the words; with other redirections it is a process.
   */
  public RunningCommand startWords(Path directory, String words) {
    Matcher line = WITH_FILE.matcher(words);
    if (!areProcesses() && line.matches()) {
      byte[] items = Shell.run(directory, "printf '%s\\0' " + line.group("words"));
      String[] arguments = ByteText.decode(items).split("\0", -1);
      // What stands behind the last separator is no argument.
      List<String> all = List.of(arguments).subList(0, arguments.length - 1);
      return startWith(line, directory, all);
    }
    List<String> command = new ArrayList<>(List.of("bash", "-c", "exec \"$@\" " + words, "bash"));
    command.addAll(java);
    return start(directory, command);
  }

  /** Starts a command in this JVM with the standard streams that a line of words names. */
  private synchronized RunningCommand startWith(
      Matcher line, Path directory, List<String> arguments) {
    try {
      InputStream in =
          line.group("in") == null
              ? InputStream.nullInputStream()
              // As ProcessSurroundings has it.
              : Channels.newInputStream(
                  FileChannel.open(directory.resolve(line.group("in")), StandardOpenOption.READ));
      OutputStream out =
          line.group("out") == null
              ? new ByteArrayOutputStream()
              : new FileOutputStream(directory.resolve(line.group("out")).toFile());
      return start(directory, arguments, in, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts the command as a process of its own, with more options for Java. */
  public CommandProcess startWithOptions(List<String> options, List<String> arguments) {
    List<String> command = new ArrayList<>(java);
    command.addAll(1, options);
    command.addAll(arguments);
    return start(root, command);
  }

  /** Runs Java with options of the test's own until it ends. */
  public Outcome runJava(List<String> options, List<String> program) {
    return startJava(options, program).end();
  }

  /** Starts Java with options of the test's own. */
  public CommandProcess startJava(List<String> options, List<String> program) {
    List<String> command = new ArrayList<>(java(options.toArray(String[]::new)));
    command.addAll(program);
    return start(root, command);
  }

  /**
   * Runs the jar with system calls that fail.
   *
   * @param injection which, in the words of strace: "fsync:error=EIO:when=2" is the second fsync of
   *     each thread
   */
  public Outcome runInjected(Path directory, String injection, String... arguments) {
    String call = injection.substring(0, injection.indexOf(':'));
    return runTraced(
        directory, List.of("-o", "/dev/null", "-e", call, "-e", "inject=" + injection), arguments);
  }

  /** Runs the jar under strace, with these options of it. */
  public Outcome runTraced(Path directory, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>(List.of("strace", "-f", "--seccomp-bpf", "-qq"));
    command.addAll(options);
    command.addAll(java);
    command.addAll(List.of(arguments));
    return start(directory, command).end();
  }

  /** Starts the jar by the words of another program, which runs it. */
  public CommandProcess startUnder(List<String> prefix, String... arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(java);
    command.addAll(List.of(arguments));
    return start(root, command);
  }

  /** Starts a program that is not Java itself. */
  public CommandProcess startProgram(List<String> command) {
    return start(root, command);
  }

  /** Runs the jar as a user who may do nothing special, whoever runs this test. */
  public Outcome runAsNobody(Path directory, String... arguments) {
    List<String> command = new ArrayList<>(Nobody.prefix());
    command.addAll(javaOfNobody());
    command.addAll(List.of(arguments));
    return start(directory, command, Nobody.home(root)).end();
  }

  /** Starts the jar as a container would: a user without privileges, and no variables but these. */
  public RunningCommand startAsPod(
      Path directory, Map<String, String> variables, String... arguments) {
    List<String> command = new ArrayList<>(Nobody.prefix());
    command.addAll(List.of("env", "-i"));
    variables.forEach((name, value) -> command.add(name + "=" + value));
    command.addAll(javaOfNobody());
    command.addAll(List.of(arguments));
    return start(directory, command);
  }

  private List<String> javaOfNobody() {
    return Nobody.canRead(JAR)
        ? java
        : java(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-jar",
            Nobody.copyOf(JAR, root).toString());
  }

  /** The words of a client of this server, before others. */
  public static String[] clientOf(RunningCommand server, String... words) {
    List<String> all =
        new ArrayList<>(List.of("-c", "127.0.0.1", "-p", Integer.toString(server.port())));
    all.addAll(List.of(words));
    return all.toArray(String[]::new);
  }

  public Path home() {
    return root.resolve("home");
  }

  private boolean areProcesses() {
    return processesOnly || !locale.equals(USUAL_LOCALE);
  }

  private synchronized RunningCommand start(Path home, Path directory, List<String> arguments) {
    if (areProcesses()) {
      List<String> command = new ArrayList<>(java);
      command.addAll(arguments);
      return start(directory, command, home);
    }
    CommandInJvm command = CommandInJvm.start(directory, variables(home), arguments);
    started.add(command);
    return command;
  }

  private Map<String, String> variables(Path home) {
    Map<String, String> variables = new HashMap<>(environment);
    variables.put("FDT_HOME", home.toString());
    return Map.copyOf(variables);
  }

  private CommandProcess start(Path directory, List<String> command) {
    return start(directory, command, home());
  }

  private synchronized CommandProcess start(Path directory, List<String> command, Path home) {
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
    CommandProcess process =
        CommandProcess.start(
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
  public static void awaitUnfinished(Path directory, int mebibytes) {
    await("an unfinished file with %d MiB in %s".formatted(mebibytes, directory))
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(50))
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
  public static List<String> unfinishedFiles(Path directory) {
    return names(directory, ".fdt-????????????????.part");
  }

  /**
   * This test ends in the middle of a transfer: a file that is not complete may stay with its
   * journal.
   */
  public void leavesUnfinishedFiles() {
    unfinishedFilesMayStay = true;
  }

  private List<String> strayFiles() {
    List<String> all = names(root, ".fdt-????????????????.*");
    List<String> strays = new ArrayList<>(all);
    if (unfinishedFilesMayStay) {
      strays.removeIf(
          name ->
              all.contains(withSuffix(name, ".journal"))
                  && all.contains(withSuffix(name, ".part")));
    }
    return strays;
  }

  /** The same name with its last part exchanged: .part, .journal or .journal.new. */
  private static String withSuffix(String name, String suffix) {
    return name.replaceFirst("\\.(part|journal|journal\\.new)$", suffix);
  }

  /** What has a name like this beneath a directory. */
  public static List<String> names(Path directory, String pattern) {
    byte[] names = Shell.run(directory, "find . -name '" + pattern + "' 2>/dev/null || true");
    return new String(names, StandardCharsets.ISO_8859_1).lines().toList();
  }
}
