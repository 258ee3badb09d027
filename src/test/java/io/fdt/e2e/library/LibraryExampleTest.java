package io.fdt.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Tree;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The example in docs/LIBRARY.md is the one that is compiled here, and it works. */
class LibraryExampleTest {
  private static final String START = "<!-- example: LibraryExample.java -->\n```java\n";
  private static final String END = "```\n<!-- end of example -->";

  @RegisterExtension final Lab lab = new Lab();

  @Test
  void exampleFetchesATreeAndSaysSo() throws Exception {
    Path source = lab.directory("source");
    Content.write(source.resolve("sub/file"), 1_234_567, 1);
    Path destination = lab.directory("destination");
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      LibraryExample.main(new String[] {source.toString(), destination.toString()});
    } finally {
      System.setOut(out);
    }

    assertThat(printed.toString(StandardCharsets.UTF_8))
        .matches("1 files, 1234567 bytes in \\d+ ms\n");
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
  void thePageQuotesTheExample() throws IOException {
    Path repository = repository();
    String page = Files.readString(repository.resolve("docs/LIBRARY.md"));
    String example =
        Files.readString(repository.resolve("src/test/java/io/fdt/e2e/library/LibraryExample.java"))
            .replaceFirst("(?s)^package [^;]*;\n\n", "");

    assertThat(page).contains(START, END);
    String quoted = page.substring(page.indexOf(START) + START.length(), page.indexOf(END));
    assertThat(quoted).isEqualTo(example);
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
