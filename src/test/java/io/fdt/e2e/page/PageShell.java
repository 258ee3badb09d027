package io.fdt.e2e.page;

import static java.nio.file.StandardOpenOption.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.service.ServiceOptions;
import io.fdt.service.TransferService;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Runs blocks of pages in bash, whose command {@code fdt} runs in this JVM: with the words, the
 * directory and the standard streams that bash gives it.
 *
 * <pre>
 *   bash: fdt WORDS  -- directory of the call -->  this JVM: opens /proc/PID/fd/0 and 1, runs
 *         returns    <-- FIFO: exit status    --
 * </pre>
 *
 * Servers, the service and watches run until the test ends; a call of one returns when it is ready.
 * Servers listen on any free port of this host and are found by their names. Local paths that begin
 * at the root begin in the directory of the block.
 */
final class PageShell implements AutoCloseable {
  private static final String FUNCTIONS =
      """
      exec 9>&1 >"$OUTPUT" 2>&1
      fdt() {
        local call status
        call=$(mktemp -d "$CALLS/XXXXXX")
        mkfifo "$call/status"
        printf '%s\\0' "$BASHPID" "$PWD" "$@" > "$call/words"
        echo "$call" >&9
        read -r -u 8 status 8< "$call/status"
        return "$status"
      }
      java() { shift 2; fdt "$@"; } # java -jar fdt.jar
      make() { [ "$*" = build ]; }  # has been done before this test
      sudo() { # -u USER NAME=VALUE... COMMAND
        [ "$1" != -u ] || shift 2
        while [[ "$1" == *=* ]]; do shift; done
        "$@"
      }
      """;

  private static final Pattern FROM_ROOT =
      Pattern.compile("(?<before>|[a-z]+=|local:)(?<path>/.*)");

  /** The commands whose paths are those of servers. */
  private static final List<String> OF_SERVERS = List.of("-c", "endpoint");

  /** A path on a host that ssh goes to: on this one there are neither that user nor its files. */
  private static final Pattern BY_SSH = Pattern.compile("\\w+@(?<host>\\w+):(?<path>.*)");

  /** What some pages call the server that the named one of this test is. */
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "host", "storage1",
          "localhost", "laptop",
          "far", "storage2",
          "relay", "laptop",
          "relay1", "laptop",
          "relay2", "laptop");

  private static final Pattern IN_DOMAIN = Pattern.compile("(\\w+)\\.example\\.org(?!:)");

  private static final Path JAVA_BIN = Path.of(System.getProperty("java.home"), "bin");
  private static final Pattern IDENTITY = Pattern.compile("identity=(SHA256:\\S+)");
  private static final String ANY_KEY = "SHA256:...";

  /** What a command says of a copy that goes on without it. */
  private static final Pattern LEFT = Pattern.compile("; fdt attach ([0-9a-f]{8}) ");

  private static final String ANY_ID = "1f0c22ab";

  private final Lab lab;
  private final Path project;
  private final Path ssh;
  private final Map<String, RunningCommand> servers = new TreeMap<>();
  private volatile String id = ANY_ID;
  private final List<RunningCommand> watches = new ArrayList<>();
  private final List<TransferService> services = new ArrayList<>();

  PageShell(Lab lab, Path project, Path ssh) {
    this.lab = lab;
    this.ssh = ssh;
    this.project = project;
  }

  /**
   * Runs a block in the directory of a host, and fails unless it succeeds.
   *
   * @param name for messages
   */
  void run(String name, String host, String block) throws IOException {
    Path directory = directory(host);
    Path output = Files.createTempFile(lab.root(), "block-", ".out");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-eu", "-o", "pipefail", "-c", FUNCTIONS + keyed(block));
    builder.directory(directory.toFile()).redirectErrorStream(true);
    builder.redirectInput(Path.of("/dev/null").toFile());
    builder.environment().put("LC_ALL", "C.UTF-8");
    builder.environment().put("PATH", JAVA_BIN + ":" + System.getenv("PATH"));
    builder.environment().put("PROJECT", project.toString());
    builder.environment().put("CALLS", lab.directory("calls").toString());
    builder.environment().put("OUTPUT", output.toString());
    Process bash = builder.start();
    ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    List<Thread> calls = new ArrayList<>();
    try (BufferedReader asked = bash.inputReader(StandardCharsets.UTF_8)) {
      for (String call = asked.readLine(); call != null; call = asked.readLine()) {
        Path place = Path.of(call);
        Thread thread = new Thread(() -> answer(place, host, failures), "call of " + name);
        calls.add(thread);
        thread.start();
      }
      int status = bash.waitFor();
      for (Thread call : calls) {
        call.join();
      }
      assertThat(failures).as("%s: %s: %s", name, block, Files.readString(output)).isEmpty();
      assertThat(status).as("%s: %s: %s", name, block, Files.readString(output)).isZero();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      bash.destroyForcibly();
    }
  }

  private Path directory(String host) {
    Path directory = lab.root().resolve(host);
    return Files.isDirectory(directory) ? directory : lab.directory(host);
  }

  /** With the key of the servers, which have one home, where the block leaves it out. */
  private String keyed(String block) {
    if (!block.contains(ANY_KEY)) {
      return block;
    }
    return block.replace(ANY_KEY, key(servers.values().iterator().next()));
  }

  private static String key(RunningCommand server) {
    Matcher key = IDENTITY.matcher(server.err());
    assertThat(key.find()).isTrue();
    return key.group(1);
  }

  /** Runs one call of bash, and tells it the exit status. */
  private void answer(Path call, String host, ConcurrentLinkedQueue<String> failures) {
    // Opened when bash waits for the status: its own streams are those of the call again.
    try (OutputStream ended = new FileOutputStream(call.resolve("status").toFile())) {
      int status = status(call, host, failures);
      ended.write((status + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      failures.add(e.toString());
    }
  }

  private int status(Path call, String host, ConcurrentLinkedQueue<String> failures) {
    try {
      String[] all = Files.readString(call.resolve("words")).split("\0", -1);
      Path directory = Path.of(all[1]);
      List<String> words = new ArrayList<>(List.of(all).subList(2, all.length - 1));
      words.replaceAll(word -> word.replace(ANY_ID, id));
      return run(Path.of("/proc", all[0], "fd"), directory, host, words, failures);
    } catch (IOException | RuntimeException | AssertionError e) {
      failures.add(e.toString());
      return 1;
    }
  }

  private int run(
      Path streams,
      Path directory,
      String host,
      List<String> given,
      ConcurrentLinkedQueue<String> failures)
      throws IOException {
    List<String> words = local(given, directory(host));
    List<String> options = words.subList(1, words.size());
    switch (words.get(0)) {
      case "serve" -> serve(host, directory, options);
      case "service" -> serveTasks(directory, options);
      case "watch" -> watch(directory, words);
      // The test of the path takes both processors for 10 s: DoctorTest.
      case "doctor" -> lab.run(directory, "doctor", "--no-test", options.get(0)).expect(0);
      default -> {
        InputStream in = // as ProcessSurroundings has it
            Channels.newInputStream(FileChannel.open(streams.resolve("0"), READ));
        OutputStream out = new FileOutputStream(streams.resolve("1").toFile(), true);
        Outcome outcome = lab.start(directory, words, in, out).end();
        Matcher left = LEFT.matcher(outcome.err());
        if (left.find()) {
          id = left.group(1);
        }
        if (outcome.status() != 0) {
          failures.add("fdt " + String.join(" ", words) + ": " + outcome);
        }
        return outcome.status();
      }
    }
    return 0;
  }

  private List<String> local(List<String> words, Path root) {
    boolean areOfServers = OF_SERVERS.contains(words.get(0));
    List<String> result = new ArrayList<>();
    for (String word : words) {
      boolean isOfFilters =
          !result.isEmpty() && result.get(result.size() - 1).equals("--filter-path");
      if (isOfFilters) { // Java loads classes from its own directory
        result.add(root + "/" + word);
      } else {
        result.add(areOfServers ? addressed(word) : local(word, root));
      }
    }
    return result;
  }

  private String local(String word, Path root) {
    Matcher path = FROM_ROOT.matcher(word);
    if (path.matches()) {
      return path.group("before") + root + path.group("path");
    }
    Matcher bySsh = BY_SSH.matcher(word);
    if (bySsh.matches()) {
      String host = bySsh.group("host");
      return "ssh://" + host + directory(host) + "/" + bySsh.group("path");
    }
    return word.startsWith("ssh -") ? ssh.toString() : addressed(word);
  }

  /** With addresses in place of the names of servers in a domain. */
  private synchronized String addressed(String word) {
    return IN_DOMAIN
        .matcher(word)
        .replaceAll(
            name -> {
              RunningCommand server = servers.get(name.group(1));
              if (server == null) {
                server = servers.get(OTHER_NAMES.getOrDefault(name.group(1), ""));
              }
              return server == null ? name.group() : "127.0.0.1:" + server.port();
            });
  }

  /** Starts a server, which is found by the name of its host from now on. */
  private synchronized void serve(String host, Path directory, List<String> options)
      throws IOException {
    List<String> line = new ArrayList<>(List.of("serve", "--bind", "127.0.0.1", "--port", "0"));
    line.addAll(options);
    if (options.contains("--relay")) {
      line.addAll(List.of("--relay-to", "127.0.0.0/8")); // where all servers of a test are
    }
    servers.put(host, lab.start(directory, line.toArray(String[]::new)));
    Map<String, RunningCommand> names = new TreeMap<>(servers);
    OTHER_NAMES.forEach(
        (name, of) -> {
          if (servers.containsKey(of)) {
            names.putIfAbsent(name, servers.get(of));
          }
        });
    StringBuilder named = new StringBuilder();
    names.forEach((name, server) -> named.append(section(name, server)));
    Files.writeString(lab.home().resolve("client.conf"), named);
  }

  private static String section(String name, RunningCommand server) {
    return "[server %s]\naddress = 127.0.0.1\nport = %d\nfingerprint = %s\n"
        .formatted(name, server.port(), key(server));
  }

  /** Starts the service, of which a home has one. */
  private synchronized void serveTasks(Path directory, List<String> options) {
    services.forEach(TransferService::close);
    services.clear();
    List<String> line = new ArrayList<>(List.of("--port", "0"));
    for (String word : options) {
      boolean isFile = line.get(line.size() - 1).endsWith("-file");
      line.add(isFile ? directory.resolve(word).toString() : word);
    }
    try {
      ServiceOptions parsed = ServiceOptions.parse(line, Map.of(), lab.home());
      services.add(TransferService.start(parsed, "tester", directory));
    } catch (Exception e) {
      throw new AssertionError("service " + options + ": " + e, e);
    }
  }

  private synchronized void watch(Path directory, List<String> words) {
    RunningCommand watch = lab.start(directory, words.toArray(String[]::new));
    watches.add(watch);
    await("the first copy of " + watch)
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> !watch.isAlive() || watch.out().contains("done: "));
    assertThat(watch.isAlive()).as("%s", watch).isTrue();
  }

  @Override
  public synchronized void close() {
    services.forEach(TransferService::close);
    String dead =
        watches.stream()
            .filter(w -> !w.isAlive())
            .map(Object::toString)
            .collect(Collectors.joining());
    assertThat(dead).isEmpty();
  }
}
