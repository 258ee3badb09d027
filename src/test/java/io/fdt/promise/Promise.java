package io.fdt.promise;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One sentence of a page that promises something, the code that keeps it, and the test that fails
 * where this code is removed. Read from a file in {@code promises}, whose README.md shows the
 * format.
 *
 * @param place the file of the record and its line, for messages
 * @param page the page of docs, without {@code .md}
 * @param sentence the promise
 * @param code the source file, relative to the repository
 * @param removals what goes from it, and what comes instead
 * @param module the directory of the module whose test it is
 * @param testClass the simple name of its class
 * @param testMethod the name of its method
 */
record Promise(
    String place,
    String page,
    String sentence,
    String code,
    List<Removal> removals,
    String module,
    String testClass,
    String testMethod) {
  /** Two texts, of which the first stands once in the source file. Blanks and lines may differ. */
  record Removal(String old, String replacement) {}

  private static final Pattern TEST = Pattern.compile("test (\\S+) (\\w+)#(\\w+)");
  private static final Pattern BLANKS = Pattern.compile("\\s+");

  /** All records, in the order of the files' names and of their lines. */
  static List<Promise> readAll(Path root) throws IOException {
    List<Path> files;
    try (Stream<Path> listed = Files.list(root.resolve("promises"))) {
      files = listed.filter(file -> file.toString().endsWith(".txt")).sorted().toList();
    }
    List<Promise> all = new ArrayList<>();
    for (Path file : files) {
      all.addAll(read(file));
    }
    return all;
  }

  private static List<Promise> read(Path file) throws IOException {
    String name = file.getFileName().toString();
    String page = name.substring(0, name.length() - ".txt".length());
    List<Promise> read = new ArrayList<>();
    List<String> record = new ArrayList<>();
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    lines.add("");
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (!line.isBlank()) {
        record.add(line);
      } else if (!record.isEmpty()) {
        read.add(parse(name + ":" + (i - record.size() + 1), page, record));
        record.clear();
      }
    }
    return read;
  }

  private static Promise parse(String place, String page, List<String> lines) {
    List<String> sentence = new ArrayList<>();
    List<Removal> removals = new ArrayList<>();
    List<String> old = new ArrayList<>();
    List<String> replacement = new ArrayList<>();
    String code = null;
    MatchResult test = null;
    for (String line : lines) {
      if (line.startsWith("-")) {
        if (!replacement.isEmpty()) {
          removals.add(removal(old, replacement));
        }
        old.add(line.substring(1));
      } else if (line.startsWith("+")) {
        replacement.add(line.substring(1));
      } else if (line.startsWith("code ")) {
        code = line.substring("code ".length()).strip();
      } else if (line.startsWith("test ")) {
        test =
            TEST.matcher(line.strip())
                .results()
                .findFirst()
                .orElseThrow(() -> broken(place, "not 'test MODULE CLASS#METHOD': " + line));
      } else {
        sentence.add(line.strip());
      }
    }
    if (!old.isEmpty()) {
      removals.add(removal(old, replacement));
    }
    if (sentence.isEmpty() || code == null || removals.isEmpty() || test == null) {
      throw broken(place, "a record has a sentence, 'code', '-' and 'test'");
    }
    return new Promise(
        place,
        page,
        String.join(" ", sentence),
        code,
        removals,
        test.group(1),
        test.group(2),
        test.group(3));
  }

  private static Removal removal(List<String> old, List<String> replacement) {
    Removal removal = new Removal(String.join("\n", old), String.join("\n", replacement));
    old.clear();
    replacement.clear();
    return removal;
  }

  /**
   * The source without the code that keeps the promise.
   *
   * @throws IllegalStateException if a text to remove is not there exactly once
   */
  String changed(Path root) {
    if (!Files.exists(root.resolve(code))) {
      throw broken(place, "there is no '" + code + "'");
    }
    String source = text(root.resolve(code));
    for (Removal removal : removals) {
      List<MatchResult> found = pattern(removal.old()).matcher(source).results().toList();
      if (found.size() != 1) {
        throw broken(
            place,
            "this stands " + found.size() + " times in '" + code + "':\n" + removal.old().strip());
      }
      source =
          source.substring(0, found.get(0).start())
              + removal.replacement()
              + source.substring(found.get(0).end());
    }
    return source;
  }

  private static Pattern pattern(String old) {
    return Pattern.compile(
        Arrays.stream(BLANKS.split(old.strip()))
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s+")));
  }

  /**
   * The test's class with its package.
   *
   * @throws IllegalStateException if there is no such class, or no such method in it
   */
  String testClassName(Path root) {
    Path sources = testSources(root);
    List<Path> found =
        find(sources, testClass).stream().filter(file -> has(file, testMethod, sources)).toList();
    if (found.size() != 1) {
      throw broken(place, found.size() + " classes " + testClass + " have a method " + testMethod);
    }
    String path = sources.relativize(found.get(0)).toString();
    return path.substring(0, path.length() - ".java".length()).replace('/', '.');
  }

  /** Whether a class has a method, or the one that it extends: a test of a contract. */
  private boolean has(Path file, String method, Path sources) {
    String text = text(file);
    return Pattern.compile("\\s" + method + "\\(").matcher(text).find()
        || Pattern.compile("class \\w+ extends (\\w+)")
            .matcher(text)
            .results()
            .flatMap(parent -> find(sources, parent.group(1)).stream())
            .anyMatch(parent -> has(parent, method, sources));
  }

  private Path testSources(Path root) {
    return module.equals("e2e")
        ? root.resolve("src/test/java")
        : root.resolve(module).resolve("src/test/java");
  }

  /** The files of the classes with this name. */
  private static List<Path> find(Path sources, String simpleName) {
    try (Stream<Path> files =
        Files.find(
            sources,
            Integer.MAX_VALUE,
            (file, attributes) -> file.endsWith(simpleName + ".java"))) {
      return files.filter(file -> text(file).contains("class " + simpleName + " ")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String sourceModule() {
    return code.substring(0, code.indexOf('/'));
  }

  /** Whether it is of this page; case does not matter. */
  boolean isOf(String otherPage) {
    return page.toLowerCase(Locale.ROOT).equals(otherPage.toLowerCase(Locale.ROOT));
  }

  String test() {
    return testClass + "." + testMethod;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static IllegalStateException broken(String place, String reason) {
    return new IllegalStateException("promises/" + place + ": " + reason);
  }
}
