package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.fdt.cli.option.parse.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands in the blocks of all pages: README.md and its neighbours, those of the site, the
 * reference that is made of the help, and the examples. Each is given to the parser of the command.
 */
class PageCommandsTest {
  private static final Path PROJECT = Path.of("..");

  /** The page that is made of the help: its synopses are no commands. */
  private static final String REFERENCE = "reference.md";

  private static final String OF_REFERENCE = "(.*[|;(] *)?java -jar fdt.jar \\S.*";

  /** What pages write in place of a key. */
  private static final String SOME_KEY = "SHA256:...";

  private static final String FENCE = "```";

  /** A command, and where it stands. */
  private record Command(String page, int line, List<String> words) {
    @Override
    public String toString() {
      return page + ":" + line + ": fdt " + String.join(" ", words);
    }
  }

  static List<Command> commands() throws IOException, UsageException {
    List<Command> commands = new ArrayList<>();
    for (Map.Entry<String, String> page : pages().entrySet()) {
      addCommands(page.getKey(), page.getValue(), commands);
    }
    return commands;
  }

  private static Map<String, String> pages() throws IOException, UsageException {
    Map<String, String> pages = new TreeMap<>();
    for (Path directory : List.of(PROJECT, PROJECT.resolve("docs"), PROJECT.resolve("examples"))) {
      try (Stream<Path> files = Files.walk(directory, directory.equals(PROJECT) ? 1 : 9)) {
        for (Path file : files.filter(file -> file.toString().endsWith(".md")).toList()) {
          pages.put(PROJECT.relativize(file).toString(), Files.readString(file));
        }
      }
    }
    pages.put(REFERENCE, new MarkdownPage(Subcommands.commands(GivenSurroundings.NONE)).text());
    return pages;
  }

  private static void addCommands(String page, String text, List<Command> commands) {
    String[] lines = text.split("\n", -1);
    boolean isInBlock = false;
    for (int i = 0; i < lines.length; i++) {
      if (lines[i].strip().startsWith(FENCE)) {
        isInBlock = !isInBlock;
        continue;
      }
      int line = i + 1;
      StringBuilder whole = new StringBuilder(lines[i]);
      while (isInBlock && whole.toString().endsWith("\\")) {
        whole.setLength(whole.length() - 1);
        whole.append(lines[++i].strip());
      }
      String shell = whole.toString().strip();
      if (isInBlock && (!page.equals(REFERENCE) || shell.matches(OF_REFERENCE))) {
        ShellLine.commands(shell.replace(SOME_KEY, "SHA256:" + "A".repeat(43)))
            .forEach(words -> commands.add(new Command(page, line, words)));
      }
    }
  }

  private static GivenSurroundings surroundings() throws IOException {
    Map<String, String> files = new TreeMap<>();
    files.put(
        "/nowhere/.config/fdt/client.conf", "[server storage1]\naddress = storage1.example.org\n");
    files.put("SHA256SUMS", "0".repeat(64) + "  a");
    files.put("/etc/fdt/fdt.conf", Files.readString(PROJECT.resolve("dist/fdt.conf")));
    return new GivenSurroundings(files, Map.of());
  }

  @Test
  void thereAreCommandsOfAllKindsOfPages() throws IOException, UsageException {
    Map<String, Long> counts =
        commands().stream().collect(Collectors.groupingBy(Command::page, Collectors.counting()));
    assertThat(counts)
        .containsKeys("README.md", "docs/OPTIONS.md", "docs/TUTORIAL.md", "docs/howto/slurm.md")
        .containsKeys("docs/STRIPES.md", "examples/job-arrays/README.md", REFERENCE)
        .hasSizeGreaterThan(20);
    assertThat(commands()).hasSizeGreaterThan(170);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void isOne(Command command) throws IOException {
    assertThat(command.words()).as("%s leaves something out", command).doesNotContain("...");
    try {
      assertThat(Subcommands.parse(command.words(), surroundings()).command()).isNotNull();
    } catch (UsageException e) {
      fail(command + ": " + e.getMessage());
    }
  }

  @Test
  void findsTheCommandsOfALine() {
    assertThat(
            ShellLine.commands("id=$(fdt ls h:/) && sudo -u x A=b java -jar a/fdt.jar du 'h:/a b'"))
        .containsExactly(List.of("ls", "h:/"), List.of("du", "h:/a b"));
    assertThat(
            ShellLine.commands("node1$ (umask 077; tar -c . | fdt copy - h:/x > log)  # fdt not"))
        .containsExactly(List.of("copy", "-", "h:/x"));
    assertThat(ShellLine.commands("30 1 * * * fdt sync --limit \"1=2,else=off\" a b 2>/dev/null"))
        .containsExactly(List.of("sync", "--limit", "1=2,else=off", "a", "b"));
    assertThat(ShellLine.commands("sbatch --wrap 'fdt worker --plan p'; mkdir fdt"))
        .containsExactly(List.of("worker", "--plan", "p"));
  }
}
