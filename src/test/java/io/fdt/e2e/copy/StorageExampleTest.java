package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The example of a storage, in a jar beside {@code fdt.jar}. */
class StorageExampleTest {
  private static final Path EXAMPLE = Path.of("../examples/storage/src");
  private static final int LARGE = 9_000_001;

  @RegisterExtension final Lab lab = new Lab();

  private Path jar;
  private RunningCommand server;

  @BeforeEach
  void serve() throws IOException {
    jar = lab.directory("installed").resolve("fdt.jar");
    Files.createLink(jar, Path.of(System.getProperty("fdt.jar")).toRealPath());
    Content.write(lab.root().resolve("tree/a/b/large"), LARGE, 1);
    Content.write(lab.root().resolve("tree/small"), 1000, 2);
    try (OutputStream file = Files.newOutputStream(lab.root().resolve("set.zip"));
        ZipOutputStream zip = new ZipOutputStream(file)) {
      for (String name : List.of("tree/small", "tree/a/b/large", "../outside")) {
        zip.putNextEntry(new ZipEntry(name));
        Path path = lab.root().resolve(name);
        zip.write(Files.exists(path) ? Files.readAllBytes(path) : new byte[1]);
      }
    }
    lab.directory("in");
    server = lab.serve("--export", "in:rw");
  }

  private void install() throws IOException {
    Path classes = lab.directory("classes");
    List<String> arguments =
        new ArrayList<>(List.of("-cp", jar.toString(), "-d", classes.toString()));
    try (Stream<Path> files = Files.walk(EXAMPLE)) {
      files.filter(f -> f.toString().endsWith(".java")).forEach(f -> arguments.add(f.toString()));
    }
    run("javac", arguments);
    run(
        "jar",
        List.of(
            "--create",
            "--file=" + jar.resolveSibling("fdt-zip.jar"),
            "-C",
            classes.toString(),
            ".",
            "-C",
            EXAMPLE.toString(),
            "META-INF"));
  }

  private static void run(String tool, List<String> arguments) {
    assertThat(
            ToolProvider.findFirst(tool)
                .orElseThrow()
                .run(System.out, System.err, arguments.toArray(String[]::new)))
        .isZero();
  }

  private Outcome copy(String... words) {
    List<String> all = new ArrayList<>(List.of("-jar", jar.toString(), "copy", "-r"));
    all.addAll(List.of(words));
    return lab.runJava(List.of(), all);
  }

  private String at(String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  @Test
  void filesOfAnArchiveArriveAndASecondRunMovesNothing() throws IOException {
    install();
    String archive = "zip://" + lab.root().resolve("set.zip");

    assertThat(copy(archive + "/tree/", at("/in/")).expect(0).summary())
        .contains("2 files, 8.58 MiB");

    assertThat(lab.root().resolve("in/a/b/large")).hasSameBinaryContentAs(file("a/b/large"));
    assertThat(lab.root().resolve("in/small")).hasSameBinaryContentAs(file("small"));
    assertThat(copy(archive + "/tree/", at("/in/")).expect(0).summary()).contains("0 files, 0 B");
    assertThat(copy(archive + "/none", at("/in/")).expect(1).err())
        .contains("/none' does not exist");
    assertThat(copy(at("/in/"), archive).expect(1).err()).contains("can only be read");
  }

  @Test
  void aServerExportsAnArchiveBesideDirectories() throws IOException {
    install();
    Path archive = lab.root().resolve("set.zip");
    CommandProcess archives =
        lab.startJava(
            List.of(),
            List.of(
                "-jar",
                jar.toString(),
                "serve",
                "--bind",
                "127.0.0.1",
                "--port",
                "0",
                "--export",
                "in=in:rw",
                "--export",
                "set=zip://" + archive));
    String at = "fdt://127.0.0.1:" + archives.port();

    assertThat(copy(at + "/set", "out").expect(0).summary()).contains("2 files, 8.58 MiB");
    Path arrived = lab.root().resolve("out/set/tree");
    assertThat(arrived.resolve("a/b/large")).hasSameBinaryContentAs(file("a/b/large"));
    assertThat(copy(at + "/set/tree/%252f..", "out").expect(4).err()).contains("an encoded slash");
  }

  @Test
  void anotherStorageSaysThatItKeepsNoBackups() throws IOException {
    install();
    String archive = "zip://" + lab.root().resolve("new.zip");

    assertThat(copy("--backup-dir", "old", at("/in/"), archive).expect(2).err())
        .contains("new.zip' keeps no backups of replaced files");
    assertThat(lab.root().resolve("new.zip")).doesNotExist();
  }

  private Path file(String name) {
    return lab.root().resolve("tree").resolve(name);
  }

  @Test
  void aSchemeWithoutItsJarIsNamed() {
    assertThat(copy("zip:///set.zip", at("/in/")).expect(2).err())
        .contains("no storage for zip:// is installed; put fdt-zip.jar into '")
        .contains("/installed'");
  }
}
