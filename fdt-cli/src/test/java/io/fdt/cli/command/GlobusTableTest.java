package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;

/** The table of SERVICE.md that has a row for every command of globus-cli. */
class GlobusTableTest {
  /** What {@code globus list-commands} of 3.43 begins its headings and commands with. */
  private static final List<String> GLOBUS =
      List.of(
          "api",
          "bookmark",
          "cli-profile-list",
          "collection",
          "delete",
          "endpoint",
          "flows",
          "gcp",
          "gcs",
          "get-identities",
          "group",
          "list-commands",
          "login",
          "logout",
          "ls",
          "mkdir",
          "rename",
          "rm",
          "search",
          "session",
          "stat",
          "streams",
          "task",
          "timer",
          "transfer",
          "update",
          "version",
          "whoami");

  private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
  private static final Pattern OURS =
      Pattern.compile("(?:fdt )?(task|endpoint|timer|service|notice) ([a-z]+).*");

  private static List<String[]> rows() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "SERVICE.md"));
    String section = page.substring(page.indexOf("## From Globus"));
    List<String[]> rows = new ArrayList<>();
    for (String line : section.lines().filter(one -> one.startsWith("| ")).skip(1).toList()) {
      rows.add(line.split(" \\| |^\\| | \\|$", -1));
    }
    return rows;
  }

  @Test
  void everyCommandOfGlobusHasARow() throws Exception {
    List<String> words = new ArrayList<>();
    for (String[] row : rows()) {
      Matcher span = SPAN.matcher(row[1]);
      while (span.find()) {
        words.add(span.group(1).split(" ", 2)[0]);
      }
    }
    assertThat(words).containsAll(GLOBUS);
  }

  @Test
  void whatTheTableNamesIsThere() throws Exception {
    Map<String, CommandSpec> commands = Subcommands.commands(GivenSurroundings.NONE);
    int seen = 0;
    for (String[] row : rows()) {
      Matcher span = SPAN.matcher(row[2]);
      while (span.find()) {
        Matcher ours = OURS.matcher(span.group(1));
        if (!ours.matches()) {
          continue;
        }
        List<String> known = new ArrayList<>();
        commands
            .get(ours.group(1))
            .positionalParameters()
            .get(0)
            .completionCandidates()
            .forEach(known::add);
        assertThat(known).as(span.group(1)).contains(ours.group(2));
        seen++;
      }
    }
    assertThat(seen).isGreaterThan(15);
  }
}
