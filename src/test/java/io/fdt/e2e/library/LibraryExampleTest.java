package io.fdt.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples in docs/LIBRARY.md are those that are compiled here, and they work. */
class LibraryExampleTest {
  private static final String END = "```\n<!-- end of example -->";

  @RegisterExtension final Lab lab = new Lab();

  /** The exit status of the last fetch. */
  private int status;

  @Test
  void exampleFetchesATreeAndSaysSo() throws Exception {
    Path source = lab.directory("source");
    Content.write(source.resolve("sub/file"), 1_234_567, 1);
    Path destination = lab.directory("destination");
    String printed =
        printed(
            () -> LibraryExample.main(new String[] {source.toString(), destination.toString()}));

    assertThat(printed).matches("1 files, 1234567 bytes in \\d+ ms\n");
    Tree.assertSame(destination.resolve("data"), source);
  }

  @Test
  void onTheJarTheExamplePrintsNothingElseAndListensOnThisMachineOnly() throws Exception {
    Path source = lab.directory("source");
    Content.write(source.resolve("file"), 1000, 1);
    Path tests =
        Path.of(LibraryExample.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> program =
        List.of(
            "-cp",
            System.getProperty("fdt.jar") + File.pathSeparator + tests,
            LibraryExample.class.getName(),
            source.toString(),
            lab.directory("destination").toString());

    Outcome outcome = lab.runJava(List.of(), program).expect(0);

    assertThat(outcome.out()).matches("1 files, 1000 bytes in \\d+ ms\n");
    assertThat(outcome.err()).isEmpty();
    assertThat(Files.readString(repository().resolve("docs/LIBRARY.md")))
        .contains(".bind(\"127.0.0.1\")");
  }

  @Test
  void aProgramFetchesFromARealServerAndSaysWhatArrived() throws Exception {
    Content.write(lab.directory("data").resolve("sub/file"), 1_234_567, 1);
    RunningCommand server = lab.serve("--export", "data");

    String printed = fetch(server.port(), fingerprint(server), token("reader"), "/data");

    assertThat(printed).endsWith("1 files arrived, 0 failed\n");
    Tree.assertSame(lab.root().resolve("copy/data"), lab.root().resolve("data"));
  }

  @Test
  void aProgramCanTellWhatWentWrong() throws Exception {
    Content.write(lab.directory("data").resolve("file"), 1000, 1);
    Path token = token("reader");
    Path revoked = token("revoked");
    lab.run(lab.root(), "token", "revoke", "revoked").expect(0);
    RunningCommand server = lab.serve("--export", "data");
    String key = fingerprint(server);

    assertThat(fetch(server.port(), key, token, "/data/none"))
        .contains("'/data/none'")
        .endsWith("0 files arrived, 1 failed\n");
    assertThat(fetch(server.port(), key, revoked, "/data"))
        .startsWith("the server does not accept this token (any more): ")
        .doesNotContain("--", "trying again");
    assertThat(status).isEqualTo(1);
    assertThat(fetch(server.port(), key.replaceFirst(".{4}$", "AAAA"), token, "/data"))
        .contains(key);
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(fetch(server.port(), key, token, "/data"))
        .startsWith("others may read or change '")
        .hasLineCount(1);
    assertThat(status).isEqualTo(1);
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    int port = server.port();
    server.stop();
    assertThat(fetch(port, key, token, "/data").lines())
        .satisfiesExactly(
            first -> assertThat(first).startsWith("trying again: "),
            second -> assertThat(second).startsWith("trying again: "),
            last -> assertThat(last).doesNotStartWith("trying again: "));
    assertThat(status).isEqualTo(1);
  }

  private String fetch(int port, String fingerprint, Path token, String source) throws Exception {
    String copy = lab.directory("copy").toString();
    String[] arguments = {
      "127.0.0.1", Integer.toString(port), fingerprint, token.toString(), source, copy
    };
    return printed(() -> status = FetchExample.run(arguments));
  }

  private Path token(String name) throws IOException {
    String text = lab.run(lab.root(), "token", "create", name, "--read-only").expect(0).out();
    Path file = Files.writeString(lab.root().resolve(name + ".token"), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private String fingerprint(RunningCommand server) throws Exception {
    ServerTrust own = ServerTrust.knownHosts(lab.home(), ServerTrust.FirstContact.REFUSE);
    try (FdtClient client = FdtClient.builder("127.0.0.1").port(server.port()).trust(own).build()) {
      return client.serverKey();
    }
  }

  /** The output of a program. */
  private static String printed(Program program) throws Exception {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      program.run();
    } finally {
      System.setOut(out);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  @FunctionalInterface
  private interface Program {
    void run() throws Exception;
  }

  @ParameterizedTest
  @ValueSource(strings = {"FetchExample", "LibraryExample"})
  void thePageQuotesTheExamples(String name) throws IOException {
    Path repository = repository();
    String page = Files.readString(repository.resolve("docs/LIBRARY.md"));
    String example =
        Files.readString(
                repository.resolve("src/test/java/io/fdt/e2e/library/%s.java".formatted(name)))
            .replaceFirst("(?s)^package [^;]*;\n\n", "");

    String start = "<!-- example: %s.java -->\n```java\n".formatted(name);
    assertThat(page).contains(start, END);
    String rest = page.substring(page.indexOf(start) + start.length());
    assertThat(rest.substring(0, rest.indexOf(END))).isEqualTo(example);
  }

  /** Tests run in the repository or in one of its modules. */
  private static Path repository() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("fdt-cli"))) {
      directory = directory.getParent();
      assertThat(directory).as("the repository").isNotNull();
    }
    return directory;
  }
}
