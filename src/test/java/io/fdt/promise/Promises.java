package io.fdt.promise;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A program, {@code make promises}: removes the code that keeps each promise, one at a time, and
 * sees that the test of this promise fails. Compiles the one source file into a directory in front
 * of the built classes, and never changes a file of the repository.
 *
 * <p>Arguments: {@code --page PAGE}, {@code --tenth N} (of the records, each tenth from the one
 * that N by 10 leaves), {@code --removals-only} (the tests have just passed), or {@code --table}
 * (writes the tables in promises/README.md and docs/TESTING.md).
 */
final class Promises {
  /** Seconds that a test may take, and with its JVM. */
  private static final int TEST_SECONDS = 60;

  private static final int JVM_SECONDS = 90;

  /** The property that says where fdt.jar is. */
  private static final String JAR = "fdt.jar";

  private final Path root;
  private final Path work;
  private final Map<String, TestJvm> jvms = new LinkedHashMap<>();

  private Promises(Path root) {
    this.root = root;
    this.work = root.resolve("target/promises");
  }

  public static void main(String[] arguments) throws Exception {
    Path root = Path.of("").toAbsolutePath();
    List<String> words = List.of(arguments);
    List<Promise> promises = Promise.readAll(root);
    if (words.contains("--table")) {
      PromiseTable.write(root, promises);
      return;
    }
    if (words.contains("--page")) {
      String page = words.get(words.indexOf("--page") + 1);
      promises = promises.stream().filter(promise -> promise.isOf(page)).toList();
    }
    if (words.contains("--tenth")) {
      int tenth = Math.floorMod(Integer.parseInt(words.get(words.indexOf("--tenth") + 1)), 10);
      List<Promise> all = promises;
      promises =
          Stream.iterate(tenth, i -> i < all.size(), i -> i + 10)
              .map(all::get)
              .collect(Collectors.toList());
      System.out.println("tenth " + tenth + " of " + all.size() + " promises");
    }
    if (promises.isEmpty()) {
      System.out.println("no promises");
      System.exit(1);
    }
    System.exit(new Promises(root).run(promises, !words.contains("--removals-only")) ? 0 : 1);
  }

  /** Whether each test fails without the code, and passes with it. */
  private boolean run(List<Promise> promises, boolean unchangedFirst)
      throws IOException, InterruptedException, ExecutionException {
    long startNanos = System.nanoTime();
    clear(work);
    copyOneTest();
    for (Promise promise : promises) {
      for (String module : List.of(promise.module(), promise.sourceModule())) {
        if (!jvms.containsKey(module)) {
          jvms.put(module, TestJvm.of(root, module));
        }
      }
    }
    // One more than processors: without its code, a test often waits for its deadline.
    ExecutorService workers =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors() + 1);
    try {
      List<Future<List<Verdict>>> running = new ArrayList<>();
      if (unchangedFirst) {
        promises.stream()
            .collect(
                Collectors.groupingBy(Promise::module, LinkedHashMap::new, Collectors.toList()))
            .forEach((module, of) -> running.add(workers.submit(() -> unchanged(module, of))));
      }
      for (int i = 0; i < promises.size(); i++) {
        Promise promise = promises.get(i);
        Path directory = work.resolve(Integer.toString(i));
        running.add(workers.submit(() -> List.of(removed(promise, directory))));
      }
      List<Verdict> verdicts = new ArrayList<>();
      for (Future<List<Verdict>> one : running) {
        for (Verdict verdict : one.get()) {
          verdicts.add(verdict);
          System.out.println(verdict.line());
        }
      }
      System.out.printf(
          "%d killed, %d survived, %d broken, %d skipped, in %d s%n",
          count(verdicts, Verdict.Kind.KILLED),
          count(verdicts, Verdict.Kind.SURVIVED),
          count(verdicts, Verdict.Kind.BROKEN),
          count(verdicts, Verdict.Kind.SKIPPED),
          (System.nanoTime() - startNanos) / 1_000_000_000);
      return count(verdicts, Verdict.Kind.SURVIVED) + count(verdicts, Verdict.Kind.BROKEN) == 0;
    } finally {
      workers.shutdownNow();
    }
  }

  private static long count(List<Verdict> verdicts, Verdict.Kind kind) {
    return verdicts.stream().filter(verdict -> verdict.kind() == kind).count();
  }

  /** The tests of one module, in one JVM, as they are: those that do not pass. */
  private List<Verdict> unchanged(String module, List<Promise> promises)
      throws IOException, InterruptedException {
    Map<String, Promise> tests = new LinkedHashMap<>();
    List<Verdict> verdicts = new ArrayList<>();
    for (Promise promise : promises) {
      try {
        tests.putIfAbsent(testName(promise), promise);
      } catch (IllegalStateException e) {
        // The record is reported with its removal.
      }
    }
    Path directory = Files.createDirectories(work.resolve("unchanged-" + module));
    List<String> results = start(module, directory, List.of(), new ArrayList<>(tests.keySet()));
    int next = 0;
    for (Promise promise : tests.values()) {
      String result = results.get(next++);
      if (!result.equals("passed") && !result.startsWith("skipped")) {
        verdicts.add(
            new Verdict(Verdict.Kind.BROKEN, promise, "without a removal the test " + result));
      }
    }
    return verdicts;
  }

  private Verdict removed(Promise promise, Path directory)
      throws IOException, InterruptedException {
    String test;
    Path classes;
    try {
      test = testName(promise);
      classes = ChangedSource.compile(root, promise, directory, jvms.get(promise.sourceModule()));
    } catch (IllegalStateException e) {
      return new Verdict(Verdict.Kind.BROKEN, promise, e.getMessage());
    }
    String result = start(promise.module(), directory, List.of(classes), List.of(test)).get(0);
    return Verdict.of(promise, result);
  }

  private String testName(Promise promise) {
    return promise.testClassName(root) + "#" + promise.testMethod();
  }

  /** Runs tests in a JVM of their module: a result for each. */
  private List<String> start(String module, Path directory, List<Path> inFront, List<String> tests)
      throws IOException, InterruptedException {
    TestJvm jvm = jvms.get(module);
    List<Path> classPath = new ArrayList<>(inFront);
    classPath.add(work.resolve("program"));
    classPath.addAll(jvm.classPath());
    Stream.of(System.getProperty("java.class.path").split(":"))
        .filter(entry -> entry.contains("junit-platform-launcher"))
        .map(Path::of)
        .forEach(classPath::add);
    Path results = directory.resolve("results");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm.arguments());
    Optional<Path> jar = changedJar(jvm, inFront, directory);
    jar.ifPresent(changed -> command.add("-D" + JAR + "=" + changed));
    command.addAll(
        List.of(
            "-cp",
            classPath.stream().map(Path::toString).collect(Collectors.joining(":")),
            OneTest.class.getName(),
            results.toString(),
            Integer.toString(TEST_SECONDS)));
    command.addAll(tests);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(jvm.directory().toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output.txt").toFile());
    builder.environment().putAll(jvm.environment());
    Process process = builder.start();
    long seconds = TEST_SECONDS * (long) (tests.size() - 1) + JVM_SECONDS;
    boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    if (jar.isPresent()) {
      Files.delete(jar.get());
    }
    if (!Files.exists(results)) {
      String reason =
          ended
              ? "broken: the JVM ended with " + process.exitValue()
              : "broken: it ran for more than " + seconds + " s";
      return tests.stream()
          .map(test -> reason + ", see '" + directory.resolve("output.txt") + "'")
          .toList();
    }
    return Files.readAllLines(results);
  }

  /** For processes that a test starts: fdt.jar with the changed classes, beside the built one. */
  private static Optional<Path> changedJar(TestJvm jvm, List<Path> inFront, Path directory)
      throws IOException {
    String property = "-D" + JAR + "=";
    Optional<Path> built =
        jvm.arguments().stream()
            .filter(argument -> argument.startsWith(property))
            .map(argument -> Path.of(argument.substring(property.length())).normalize())
            .findFirst();
    if (built.isEmpty() || inFront.isEmpty()) {
      return Optional.empty();
    }
    Path changed = built.get().resolveSibling("promise-" + directory.getFileName() + "-fdt.jar");
    Files.copy(built.get(), changed, StandardCopyOption.REPLACE_EXISTING);
    try (FileSystem jar = FileSystems.newFileSystem(changed);
        Stream<Path> classes = Files.walk(inFront.get(0))) {
      for (Path file : classes.filter(Files::isRegularFile).toList()) {
        Files.copy(
            file,
            jar.getPath(inFront.get(0).relativize(file).toString()),
            StandardCopyOption.REPLACE_EXISTING);
      }
    }
    return Optional.of(changed);
  }

  /** Alone, so that modules do not see the end-to-end tests. */
  private void copyOneTest() throws IOException {
    String directory = OneTest.class.getPackageName().replace('.', '/');
    Path to = Files.createDirectories(work.resolve("program").resolve(directory));
    Path from = root.resolve("e2e/target/test-classes").resolve(directory);
    try (Stream<Path> classes = Files.list(from)) {
      for (Path each : classes.toList()) {
        if (each.getFileName().toString().startsWith("OneTest")) {
          Files.copy(each, to.resolve(each.getFileName()));
        }
      }
    }
  }

  private static void clear(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        files
            .sorted(Comparator.reverseOrder())
            .forEach(
                file -> {
                  try {
                    Files.delete(file);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
      }
    }
    Files.createDirectories(directory);
  }
}
