package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page with 100,000 entries in a directory and 10,000 tasks. */
@Timeout(180)
class PageListsTest {
  private static final int ENTRIES = 100_000;
  private static final int TASKS = 10_000;

  /** Scrolls by 60 pages; the result: rows that were made, the most at once, requests. */
  private static final String SCROLLED =
      """
      (async () => {
        const list = document.querySelector('section[aria-label=Left] .list');
        const requests = () => performance.getEntriesByType('resource').filter(e => e.name.includes('/files?')).length;
        const before = requests();
        let made = 0, most = 0;
        const watch = new MutationObserver(all => all.forEach(one => one.addedNodes.forEach(node => {
          made += node.classList?.contains('entry') ? 1 : 0;
        })));
        watch.observe(list, {childList: true, subtree: true});
        for (let i = 0; i < 60; i++) {
          list.scrollTop += list.clientHeight;
          await new Promise(next => requestAnimationFrame(() => requestAnimationFrame(next)));
          most = Math.max(most, list.querySelectorAll('.entry').length);
        }
        watch.disconnect();
        return [made, most, requests() - before].join();
      })()\
      """;

  private Path root;
  private PageUser user;
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    // A disk takes half a minute for so many files where memory takes a second.
    Path memory = Path.of("/dev/shm");
    root =
        Files.isWritable(memory)
            ? Files.createTempDirectory(memory, "fdt-lists")
            : Files.createTempDirectory("fdt-lists");
    user = PageUser.start(root);
    browser = user.browser;
    user.site.write("run/file", 1000, 1);
    user.site.addEndpoints(user.rest());
  }

  @AfterEach
  void end() throws Exception {
    try {
      if (user != null) {
        user.close();
      }
    } finally {
      remove(root);
    }
  }

  private static void remove(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path one, IOException failure)
              throws IOException {
            Files.delete(one);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private long entriesInDocument() throws Exception {
    return (Long)
        browser.eval("document.querySelectorAll('section[aria-label=Left] .entry').length");
  }

  @Test
  void aDirectoryOf100000EntriesIsScrolledSearchedAndChosenFrom() throws Exception {
    Path many = Files.createDirectories(user.site.data.resolve("many"));
    for (int i = 0; i < ENTRIES; i++) {
      Files.createFile(many.resolve("f%06d".formatted(i)));
    }
    user.signIn();
    user.open("Left", "a", "/data/many");
    browser.awaitText("100,000 names");
    assertThat(entriesInDocument()).isBetween(5L, 100L);
    String[] operations = ((String) browser.eval(SCROLLED)).split(",");
    assertThat(Integer.parseInt(operations[0])).as("rows made").isBetween(600, 60 * 60);
    assertThat(Integer.parseInt(operations[1])).as("rows at once").isLessThan(100);
    assertThat(Integer.parseInt(operations[2])).as("requests").isLessThan(8);
    browser.eval("document.querySelector('section[aria-label=Left] .list').focus(), true");
    browser.key("End", 35);
    browser.awaitTrue("!!" + PageUser.entry("Left", "f099999"));
    assertThat(entriesInDocument()).isBetween(5L, 100L);
    browser.key(" ", 32);
    browser.awaitText("1 selected");
    // A scroll bar that is dragged: the middle of the list is loaded, and nothing before it.
    browser.eval(
        "(e => { e.scrollTop = e.scrollHeight / 2;"
            + " })(document.querySelector('section[aria-label=Left] .list'))");
    browser.awaitTrue("!!" + PageUser.entry("Left", "f050000"));

    browser.type("section[aria-label=Left] input[name=find]", "F0123");
    browser.awaitText("100 names found");
    browser.awaitTrue("!!" + PageUser.entry("Left", "f012300"));
    browser.click("section[aria-label=Left] button.sort-name", "");
    browser.awaitTrue(
        "document.querySelector('section[aria-label=Left] .entry')?.dataset.name === 'f012399'");
    browser.click("button", "Left: select all or none");
    browser.awaitText("100 selected");

    browser.type("section[aria-label=Left] input[name=find]", "");
    browser.key("Backspace", 8);
    browser.awaitText("100,000 names");
    browser.click("button", "Left: select all or none");
    browser.awaitText("All 100,000 selected");
    browser.click("section[aria-label=Left] button", "Transfer to a");
    browser.awaitTrue(
        "document.querySelector('dialog textarea[name=source_paths]')?.value === '/data/many/'");
  }

  @Test
  void tenThousandTasksComeInPages() throws Exception {
    Object task = user.rest().post("/api/v1/tasks", Site.transfer()).json().get("task_id");
    user.rest().end(task);
    multiply(task.toString());
    user.signIn();
    user.go("#/tasks");
    browser.awaitText("all 10,001", "cancelled 10,000", "succeeded 1");
    browser.awaitTrue("document.querySelectorAll('tbody tr').length === 50");
    browser.click("button", "Older");
    browser.awaitTrue("!!document.querySelector('a[href=\"#/tasks/" + id(TASKS - 50) + "\"]')");
    browser.click("button", "Newer");
    browser.awaitTrue("!!document.querySelector('a[href=\"#/tasks/" + id(TASKS) + "\"]')");
    String box = "tbody tr:nth-child(2) input";
    browser.click(box, "");
    browser.awaitTrue("document.querySelector('" + box + "').checked");
    browser.awaitText("1 selected", "They have ended.");
    assertThat(
            browser.eval(
                "[...document.querySelectorAll('main button')].filter(b =>"
                    + " /Pause|Resume|Cancel/.test(b.textContent)).length"))
        .as("nothing can be changed")
        .isEqualTo(0L);
    browser.click("button", "Clear");
    browser.awaitTrue("!document.querySelector('" + box + "').checked");
    browser.click(".chip", "succeeded 1");
    browser.awaitTrue("document.querySelectorAll('tbody tr').length === 1");
    browser.click(".chip", "all 10,001");
    browser.type("input[name=text]", "Number 77%");
    browser.awaitText("No task matches.");
    browser.type("input[name=text]", "nUMBER 777");
    browser.awaitText("all 11");
    browser.awaitTrue("document.querySelectorAll('tbody tr').length === 11");
  }

  private static String id(int number) {
    return "%020x".formatted(number);
  }

  /** Writes copies of a task into the database, cancelled and each a second newer. */
  private void multiply(String task) throws Exception {
    String url = "jdbc:sqlite:" + user.site.root.resolve("fdt/service/service.db");
    try (Connection connection = DriverManager.getConnection(url)) {
      List<String> columns = new ArrayList<>();
      try (ResultSet rows =
          connection.createStatement().executeQuery("SELECT name FROM pragma_table_info('task')")) {
        while (rows.next()) {
          columns.add(rows.getString(1));
        }
      }
      String values =
          String.join(", ", columns)
              .replaceFirst("\\bid\\b", "printf('%020x', n.i)")
              .replaceFirst("\\bsubmission_id\\b", "'copy ' || n.i")
              .replaceFirst("\\blabel\\b", "'Number ' || n.i")
              .replaceFirst("\\bstate\\b", "'CANCELLED'")
              .replaceFirst("\\bcreated\\b", "created + 1000 * n.i");
      String statement =
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
              + TASKS
              + ") INSERT INTO task (%s) SELECT %s FROM n, task WHERE task.id = ?"
                  .formatted(String.join(", ", columns), values);
      try (PreparedStatement insert = connection.prepareStatement(statement)) {
        insert.setString(1, task);
        assertThat(insert.executeUpdate()).isEqualTo(TASKS);
      }
    }
  }
}
