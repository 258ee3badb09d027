package io.fdt.promise;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The source file of a promise without the code that keeps it, compiled. */
final class ChangedSource {
  private ChangedSource() {}

  /**
   * Compiles it against the built classes of its module; returns the directory of the new classes.
   *
   * @throws IllegalStateException if it does not compile
   */
  static Path compile(Path root, Promise promise, Path directory, TestJvm module)
      throws IOException {
    Path name = Path.of(promise.code()).getFileName();
    Path source = Files.createDirectories(directory.resolve("source")).resolve(name);
    Path classes = Files.createDirectories(directory.resolve("classes"));
    Files.writeString(source, promise.changed(root));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  null,
                  files,
                  problems,
                  List.of(
                      "-proc:none",
                      "-nowarn",
                      "-parameters",
                      "-XDstringConcat=inline",
                      "-d",
                      classes.toString(),
                      "-cp",
                      module.classPath().stream()
                          .map(Path::toString)
                          .collect(Collectors.joining(File.pathSeparator))),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      if (!compiled) {
        throw new IllegalStateException(
            problems.getDiagnostics().stream()
                .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                .map(
                    problem ->
                        name
                            + ":"
                            + problem.getLineNumber()
                            + ": "
                            + problem.getMessage(Locale.ROOT))
                .collect(Collectors.joining("; ", "does not compile: ", "")));
      }
    }
    return classes;
  }
}
