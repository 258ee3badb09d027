package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The example in the README is the one that is compiled here, and it works. */
class ReadmeExampleTest {
  private static final String START = "<!-- example: ReadmeExample.java -->\n```java\n";
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
      ReadmeExample.main(new String[] {source.toString(), destination.toString()});
    } finally {
      System.setOut(out);
    }

    assertThat(printed.toString(StandardCharsets.UTF_8))
        .matches("1 files, 1234567 bytes in \\d+ ms\n");
    Tree.assertSame(destination.resolve("data"), source);
  }

  @Test
  void readmeQuotesTheExample() throws IOException {
    Path repository = repository();
    String readme = Files.readString(repository.resolve("README.md"));
    String example =
        Files.readString(repository.resolve("src/test/java/io/fdt/e2e/ReadmeExample.java"))
            .replaceFirst("(?s)^package [^;]*;\n\n", "");

    assertThat(readme).contains(START, END);
    String quoted = readme.substring(readme.indexOf(START) + START.length(), readme.indexOf(END));
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
