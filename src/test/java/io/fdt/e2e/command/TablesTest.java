package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.json.Json;
import io.fdt.service.ServiceOptions;
import io.fdt.service.TransferService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All tables of the command: headings, columns, times that people read, and JSON beside each. */
@Timeout(120)
class TablesTest {
  /** One word for one thing. */
  private static final Set<String> HEADINGS =
      Set.of(
          "ACCESS",
          "CHANGE",
          "ADDRESS",
          "ADDRESSES",
          "AGE",
          "BYTES",
          "COPY",
          "CREATED",
          "DETAIL",
          "DIRECTORIES",
          "EVENT",
          "EVENTS",
          "EVERY",
          "EXPIRES",
          "EXPORTS",
          "FILES",
          "FROM",
          "ID",
          "KEY",
          "KIND",
          "LABEL",
          "LAST TASK",
          "MODE",
          "MODIFIED",
          "NAME",
          "NEXT",
          "NOTE",
          "OWNER",
          "PATH",
          "PROBLEM",
          "RATE",
          "RIGHTS",
          "ROLE",
          "RUNS",
          "SERVER",
          "SETTING",
          "SIZE",
          "STATE",
          "STATUS",
          "TARGET",
          "TIME",
          "TOKEN",
          "USER",
          "VALUE");

  @RegisterExtension final Lab lab = new Lab();

  private Outcome fdt(String line) {
    return lab.run(lab.root(), line.split(" ")).expect(0);
  }

  @Test
  void anExpiredTokenIsListedAsExpired() throws IOException {
    fdt("token create alice --expires 30d");
    fdt("token create bob --expires 30d");
    Path tokens = lab.home().resolve("tokens");
    Files.writeString(
        tokens,
        Files.readString(tokens)
            .replaceFirst("(name=bob created=\\S+ expires=)\\S+", "$12020-01-01T00:00:00Z"));

    assertThat(fdt("token list").out())
        .containsPattern("alice +valid ")
        .containsPattern("bob +expired ");
    assertThat(JsonLines.of(JsonLines.lines(JsonLines.COMMANDS, fdt("token list --json")), "token"))
        .extracting(token -> token.get("state").asString())
        .containsExactly("valid", "expired");
  }

  @Test
  void eachListHasHeadingsColumnsTimesAndJsonOrSaysThatItIsEmpty() throws Exception {
    Content.write(lab.directory("data").resolve("run/large"), 3 << 20, 1);
    String source = "127.0.0.1:" + lab.serve("--export", "data").port();
    String target =
        "127.0.0.1:" + lab.serve("--export", "inc=" + lab.directory("incoming") + ":rw").port();
    nothing("token list", "no tokens; to make one: ");
    nothing("sessions", "no copy was detached from here; for those of a server: ");
    nothing("sessions " + source, "no transfers between servers");
    nothing("ls fdt://" + target + "/inc", "'/inc' is empty");
    fdt("token create alice --read-only --expires 30d");
    fdt("token create bob --export data --relay-to 192.0.2.0/24 --relay-limit 200Mbit");
    fdt("copy --accept-new -r --detach fdt://" + source + "/data fdt://" + target + "/inc");
    Path home = lab.root().resolve("home");
    Files.writeString(home.resolve("client.conf"), "[server storage1]\naddress = 127.0.0.1\n");
    ServiceOptions options = ServiceOptions.parse(List.of("--port", "0"), Map.of(), home);
    List<String> tables =
        new ArrayList<>(
            List.of(
                "ls -l fdt://" + source + "/data/run",
                "ls -l -R fdt://" + source + "/data",
                "du fdt://" + source + "/data",
                "servers",
                "config --show",
                "token list",
                "sessions " + source));
    try (TransferService service = TransferService.start(options, "tester", lab.root())) {
      nothing("task list", "no tasks");
      nothing("timer list", "no timers");
      nothing("notice list", "no notices");
      nothing("endpoint bookmarks", "no bookmarks");
      fdt("endpoint add a " + source + " --accept-new");
      fdt("endpoint add b " + target + " --accept-new");
      fdt("endpoint bookmark in b:/inc");
      fdt(
          "timer create nightly --interval 1d --start 2098-01-01T00:00:00Z -r a:/data b:/inc"
              + " --exclude *.o --exclude tmp/");
      fdt("notice add http://127.0.0.1:9/hook");
      String id = fdt("task submit -r a:/data/run b:/inc --label first").out().strip();
      fdt("task wait " + id);
      assertThat(fdt("timer show nightly").out()).contains("; filters=- *.o, - tmp/");
      for (String object : List.of("endpoint show a", "endpoint check a", "task show " + id)) {
        List<String> lines = fdt(object).out().lines().toList();
        assertThat(lines).as(object).allMatch(line -> line.matches("[A-Z][a-z ]+: +[^\\[{]+"));
        assertThat(lines).as(object).allMatch(line -> line.matches(".{10} [^ ].*"));
      }
      tables.addAll(
          List.of(
              "task list",
              "task events " + id,
              "endpoint list",
              "endpoint bookmarks",
              "endpoint ls -l a:/data/run",
              "timer list",
              "notice list",
              "service users",
              "service audit"));
      for (String table : tables) {
        check(table, fdt(table).out());
        for (String line : fdt(table + " --json").out().lines().toList()) {
          assertThat(Json.parseObject(line)).as(table).isNotEmpty();
        }
      }
      assertThat(service).isNotNull();
    }
  }

  /** A list without rows says so on standard error. */
  private void nothing(String list, String note) {
    Outcome text = fdt(list);
    assertThat(text.out()).as(list).isEmpty();
    assertThat(text.err()).as(list).contains(note);
    assertThat(fdt(list + " --json").err()).as(list).doesNotContain(note);
  }

  private static void check(String command, String text) {
    List<String> lines = text.lines().toList();
    assertThat(lines).as(command).hasSizeGreaterThan(1);
    List<String> headings = List.of(lines.get(0).strip().split(" {2,}"));
    assertThat(HEADINGS).as(command).containsAll(headings);
    assertThat(columns(lines)).as("columns of " + command + "\n" + text).isEqualTo(headings.size());
    assertThat(text).as(command).doesNotContainPattern("\\d\\d\\d\\d-\\d\\d-\\d\\dT");
  }

  /** Columns have two blanks between them in each line. */
  private static int columns(List<String> lines) {
    int width = lines.stream().mapToInt(String::length).max().orElse(0);
    StringBuilder seen = new StringBuilder();
    for (int i = 0; i < width; i++) {
      int at = i;
      boolean isBlank = lines.stream().allMatch(l -> l.length() <= at || l.charAt(at) == ' ');
      seen.append(isBlank ? ' ' : 'x');
    }
    return seen.toString().strip().split(" {2,}").length;
  }

  /** No other place aligns cells. */
  @Test
  void oneClassPrintsTables() throws IOException {
    Path sources = Path.of("").toAbsolutePath().resolveSibling("fdt-cli/src/main/java");
    Pattern padded = Pattern.compile("%-?[0-9]+s");
    Set<String> others = new TreeSet<>();
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
        if (padded.matcher(Files.readString(file)).find()) {
          others.add(file.getFileName().toString());
        }
      }
    }
    assertThat(others)
        .as("lines of findings and of a test")
        .containsExactly("DoctorText.java", "NettestRun.java");
  }
}
