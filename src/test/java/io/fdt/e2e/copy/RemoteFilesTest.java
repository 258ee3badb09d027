package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.unit.NumberText;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** The commands ls, stat, mkdir, rename, rm, checksum and du, by the built jar. */
class RemoteFilesTest {
  @RegisterExtension final Lab lab = new Lab();

  private Path data;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    data = lab.directory("data");
    Shell.run(
        data,
        """
        mkdir -p a/b/c z
        printf 123456789 > a/b/c/file; printf 22 > a/x; printf 1 > "$(printf 'z/odd\\377')"
        ln -s ../x a/link; chmod 640 a/x
        touch -d '2001-02-03 04:05:06.789Z' a/x a/b/c/file
        """);
    lab.directory("fixed");
    server = lab.serve("--export", "data:rw", "--export", "fixed:ro");
  }

  private Outcome run(String verb, String... words) {
    return lab.run(lab.root(), words(verb, words));
  }

  private String[] words(String verb, String... words) {
    List<String> arguments = new ArrayList<>(List.of(verb));
    for (String word : words) {
      arguments.add(word.startsWith("/") ? "fdt://127.0.0.1:" + server.port() + word : word);
    }
    return arguments.toArray(String[]::new);
  }

  private List<JsonNode> json(int status, String verb, String... words) {
    List<String> arguments = new ArrayList<>(List.of("--json"));
    arguments.addAll(List.of(words));
    Outcome outcome = run(verb, arguments.toArray(String[]::new)).expect(status);
    return JsonLines.lines(JsonLines.FILES, outcome);
  }

  @Test
  void listings() {
    assertThat(run("ls", "-R", "/data").expect(0).out().lines())
        .containsExactly("a/", "z/", "a/b/", "a/link", "a/x", "a/b/c/", "a/b/c/file", "z/odd\\xff");
    assertThat(run("ls", "-l", "/data/a/b/c").expect(0).out())
        .isEqualTo(
            "MODE        SIZE  MODIFIED             NAME\n"
                + "-rw-r--r--     9  "
                + NumberText.time(Instant.parse("2001-02-03T04:05:06Z"), ZoneId.systemDefault())
                + "  file\n");
    assertThat(run("ls", "-l", "-U", "--human", "/data/a/b/c").expect(0).out())
        .contains("MODE                SIZE  MODIFIED", "-rw-r--r--           9 B  2001-02-03 ");
    assertThat(run("ls", "-R", "-U", "/data").expect(0).out().lines()).hasSize(8);
    assertThat(run("ls", "-lUha", "/data/a/b/c").expect(0).out())
        .isEqualTo(run("ls", "-l", "-U", "--human", "/data/a/b/c").expect(0).out());
    assertThat(run("du", "-sh", "/data").expect(0).out())
        .isEqualTo(run("du", "--human", "/data").expect(0).out());
    assertThat(run("ls", "-R", "/data/none").expect(1).problems().get(0))
        .contains("/data/none", "no such file");

    List<JsonNode> lines = json(0, "ls", "-R", "/data");
    assertThat(lines.stream().filter(l -> l.has("path_bytes"))).hasSize(1);
    JsonNode link = lines.stream().filter(l -> l.has("target")).findFirst().orElseThrow();
    assertThat(link.get("path").asString()).isEqualTo("/data/a/link");
    assertThat(link.get("target").get("path").asString()).isEqualTo("../x");
    json(1, "ls", "/data/none");
  }

  @Test
  void unfinishedFilesOfTransfersAreInNoListingOfATree() {
    String before = totals();
    Shell.run(
        data,
        "printf x > a/.fdt-0123456789abcdef.part; printf x > a/.fdt-0123456789abcdef.journal");

    assertThat(run("ls", "-R", "/data").expect(0).out()).doesNotContain(".fdt-");
    assertThat(run("checksum", "-r", "/data").expect(0).out()).doesNotContain(".fdt-");
    assertThat(lab.run(lab.root(), "checksum", "-r", data.toString()).expect(0).out())
        .isNotEmpty()
        .doesNotContain(".fdt-");
    assertThat(totals()).isEqualTo(before);
    Shell.run(data, "rm a/.fdt-*");
  }

  private String totals() {
    return run("du", "/data").expect(0).out();
  }

  @Test
  void stats() {
    assertThat(run("stat", "/data/a/x").expect(0).out())
        .isEqualTo(
            """
            path:     /data/a/x
            kind:     file
            size:     2 (2 B)
            mode:     0640
            modified: 2001-02-03T04:05:06.789Z
            """);
    JsonNode entry = json(0, "stat", "/data/a/x").get(0);
    assertThat(entry.get("mode").asString()).isEqualTo("0640");
    assertThat(entry.get("modified").asString()).isEqualTo("2001-02-03T04:05:06.789Z");
    assertThat(
            json(1, "stat", "/data/none", "/data/a").stream().map(l -> l.get("event").asString()))
        .containsExactly("problem", "entry", "summary");
  }

  /** Who reads digits of another script at home gets those that programs read. */
  @Test
  void digitsAreTheSameInEveryLanguage() {
    lab.environment("JAVA_TOOL_OPTIONS", "-Duser.language=ar -Duser.country=EG");
    assertThat(lab.runProcess(lab.root(), words("stat", "/data/a/x")).expect(0).out())
        .contains("size:     2 (2 B)\n");
  }

  @Test
  void changes() {
    run("mkdir", "/data/new").expect(0);
    run("mkdir", "/data/new").expect(1);
    assertThat(run("mkdir", "/data/p/q/r").expect(1).problems())
        .singleElement()
        .asString()
        .contains("'/data/p'", "add -p to make it");
    run("mkdir", "-p", "/data/p/q/r", "/data/p/q/s").expect(0);
    run("rename", "/data/a/b/c/file", "/data/p/q/r/moved").expect(0);
    assertThat(data.resolve("p/q/r/moved")).hasContent("123456789");
    assertThat(run("rename", "/data/a/x", "/data/p/q/r/moved").expect(1).problems().get(0))
        .contains("exists; choose another name");
    assertThat(run("rm", "/data/p").expect(1).problems().get(0)).contains("add -r");
    json(0, "rename", "/data/p/q/s", "/data/t");
    json(0, "mkdir", "/data/u");
    JsonNode removed = json(0, "rm", "-r", "/data/p").get(0);
    assertThat(removed.get("files").asLong()).isEqualTo(1);
    assertThat(removed.get("directories").asLong()).isEqualTo(3);
    assertThat(data.resolve("p")).doesNotExist();
    run("rm", "/data/a/none", "/data/a/link").expect(1);
    assertThat(Files.isSymbolicLink(data.resolve("a/link"))).isFalse();
    assertThat(data.resolve("a/x")).hasContent("22");
  }

  @Test
  void refusals() {
    for (String[] words :
        List.of(
            new String[] {"mkdir", "-p", "/fixed/new"},
            new String[] {"rename", "/fixed", "/data/new"},
            new String[] {"rename", "/data/a", "/fixed/a"},
            new String[] {"rm", "-r", "/fixed/none"},
            new String[] {"rm", "-r", "/data"},
            new String[] {"rm", "-r", "/"},
            new String[] {"rename", "/data", "/data/a/data"})) {
      String[] rest = List.of(words).subList(1, words.length).toArray(String[]::new);
      Outcome outcome = run(words[0], rest).expect(4);
      assertThat(outcome.problems()).hasSize(1);
      json(4, words[0], rest);
    }
    assertThat(data.resolve("a/b/c/file")).exists();
    json(2, "rm");
  }

  @Test
  void checksums() {
    assertThat(run("checksum", "/data/a/b/c/file", "/data/a/x").expect(0).out())
        .isEqualTo(
            """
            e3069283  b/c/file
            %s  x
            """
                .formatted(crcOf22()));
    assertThat(
            run("checksum", "-r", "--checksum", "sha256-tree", "/data/a").expect(0).out().lines())
        .hasSize(2)
        .anyMatch(line -> line.matches("sha256-1MiB:[0-9a-f]{64}  a/b/c/file"));
    JsonNode digest = json(0, "checksum", "--checksum", "sha256-tree", "/data/a/x").get(0);
    assertThat(digest.get("checksum").asString()).isEqualTo("sha256-1MiB");
    assertThat(digest.get("digest").asString())
        .isEqualTo(
            new String(
                    Shell.run(
                        data,
                        "split -b 1M --filter=sha256sum a/x | cut -c -64 | xxd -r -p | sha256sum"),
                    java.nio.charset.StandardCharsets.US_ASCII)
                .substring(0, 64));
    assertThat(run("checksum", "/data/a").expect(1).problems().get(0)).contains("add -r");
  }

  private static String crcOf22() {
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update("22".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    return String.format("%08x", crc.getValue());
  }

  @Test
  void usage() {
    assertThat(run("du", "/data", "/data/a/x").expect(0).out())
        .isEqualTo(
            """
                    SIZE  FILES  DIRECTORIES  NAME
                      12      3            4  /data
                       2      1            0  /data/a/x
            """);
    assertThat(run("du", "--human", "/data/a").expect(0).out())
        .contains("        11 B      2            2  /data/a\n");
    assertThat(json(0, "du", "/data").get(0).get("bytes").asLong()).isEqualTo(12);
    json(1, "du", "/data/none");
  }
}
