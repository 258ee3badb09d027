package io.fdt.e2e.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Pages;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Programs on the module path: they see the documented packages of the libraries, and no others.
 */
class ModulesTest {
  /** The libraries, and what they need. */
  private static final String LIBRARIES =
      "(fdt-(core|storage|udt|client|server|nio)|netty|protobuf-javalite|jna|slf4j-api|hash4j|zstd-jni|lz4-java"
          + "|prometheus-metrics)-.*\\.jar";

  private static final String PROGRAM =
      """
      module program {
        requires io.fdt.client;
        requires io.fdt.nio;
        requires io.fdt.server;
      }
      """;

  @RegisterExtension private final Lab lab = new Lab();
  private List<Path> libraries;
  private Path sources;

  @BeforeEach
  void findLibraries() throws IOException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    libraries =
        Stream.of(path.split(File.pathSeparator))
            .map(Path::of)
            .filter(file -> file.getFileName().toString().matches(LIBRARIES))
            .filter(file -> !file.toString().endsWith("-tests.jar"))
            .toList();
    sources = lab.directory("program");
    Files.writeString(sources.resolve("module-info.java"), PROGRAM);
  }

  @Test
  void theExampleCompilesAndRuns() throws IOException {
    Path example = Pages.PROJECT.resolve("src/test/java/io/fdt/e2e/library/LibraryExample.java");
    source("LibraryExample", Files.readString(example).replaceFirst("package [^;]*;", ""));
    assertThat(compile()).isEmpty();
    Path tree = lab.directory("tree");
    Files.writeString(tree.resolve("f"), "1");
    String got = lab.directory("got").toString();

    List<String> options = List.of("-p", modulePath() + File.pathSeparator + classes());
    List<String> program = List.of("-m", "program/program.LibraryExample", tree.toString(), got);

    assertThat(lab.runJava(options, program).expect(0).out()).startsWith("1 files, 1 bytes");
    assertThat(Path.of(got, "data/f")).hasContent("1");
  }

  @Test
  void theProviderIsFound() throws IOException {
    source(
        "Schemes",
        """
        public class Schemes {
          public static void main(String[] none) {
            for (var one : java.nio.file.spi.FileSystemProvider.installedProviders()) {
              System.out.println(one.getScheme());
            }
          }
        }
        """);
    assertThat(compile()).isEmpty();

    List<String> options = List.of("-p", modulePath() + File.pathSeparator + classes());
    Outcome outcome = lab.runJava(options, List.of("-m", "program/program.Schemes")).expect(0);

    assertThat(outcome.out().lines()).contains("fdt");
  }

  @Test
  void internalPackagesCannotBeImported() throws IOException {
    source("Curious", "class Curious { io.fdt.core.wire.control.Control control; }");

    assertThat(compile())
        .contains("io.fdt.core.wire.control", "does not export it to module program");
  }

  /** As docs/RELEASING.md lists them. */
  @Test
  void everybodySeesTheDocumentedPackagesOnly() throws IOException {
    Set<String> exported =
        ModuleFinder.of(libraries.toArray(Path[]::new)).findAll().stream()
            .map(module -> module.descriptor())
            .filter(module -> module.name().startsWith("io.fdt."))
            .flatMap(module -> module.exports().stream())
            .filter(export -> !export.isQualified())
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(exported)
        .containsExactly(
            "io.fdt.client",
            "io.fdt.core.error",
            "io.fdt.core.filter",
            "io.fdt.core.model",
            "io.fdt.core.spec",
            "io.fdt.core.tuning",
            "io.fdt.core.unit",
            "io.fdt.nio",
            "io.fdt.server");
    String documented = Files.readString(Pages.PROJECT.resolve("docs/RELEASING.md"));
    assertThat(exported)
        .allMatch(name -> documented.contains("`" + name.replace("io.fdt.core", "core") + "`"));
  }

  private void source(String name, String text) throws IOException {
    Files.writeString(
        Files.createDirectories(sources.resolve("program")).resolve(name + ".java"),
        "package program;\n" + text);
  }

  private Path classes() {
    return lab.root().resolve("classes");
  }

  private String modulePath() {
    return libraries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  /** Compiles the program; the result is what the compiler said if it failed. */
  private String compile() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<Path> files = new ArrayList<>();
    try (Stream<Path> all = Files.walk(sources);
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      all.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
      StringWriter said = new StringWriter();
      List<String> options = List.of("-cp", "", "-p", modulePath(), "-d", classes().toString());
      boolean isDone =
          compiler
              .getTask(
                  said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
              .call();
      return isDone ? "" : said.toString();
    }
  }
}
