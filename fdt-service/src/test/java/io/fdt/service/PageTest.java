package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page, as a new user goes through it. */
@Timeout(180)
class PageTest {
  private static final String HOSTILE = "<img src=x onerror=document.title='hacked'>";

  private static final String TYPED =
      "document.querySelector('section[aria-label=Left] input[name=path]')?.value";

  /** Whether the plot has a line that is longer than 20 pixels, and tells of it. */
  private static final String PLOTTED =
      """
      (() => {
        const canvas = document.querySelector('.plot canvas');
        if (!canvas?.width || !/^Rate: now .*B\\/s, at most .*B\\/s in the last/.test(
            canvas.closest('[role=img]').getAttribute('aria-label'))) {
          return false;
        }
        const probe = document.createElement('canvas');
        Object.assign(probe, {width: canvas.width + 1, height: canvas.height});
        const pen = probe.getContext('2d', {willReadFrequently: true});
        pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent');
        pen.fillRect(canvas.width, 0, 1, 1);
        const [red, green, blue] = pen.getImageData(canvas.width, 0, 1, 1).data;
        pen.drawImage(canvas, 0, 0);
        const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
          count += data[i] === red && data[i + 1] === green && data[i + 2] === blue && data[i + 3] === 255;
        }
        return count > 20;
      })()\
      """;

  @TempDir private Path root;
  private PageUser user;
  private Browser browser;
  private Site site;

  @BeforeEach
  void start() throws Exception {
    user = PageUser.start(root);
    browser = user.browser;
    site = user.site;
    site.write("run/large", 16 * Site.MIB, 1);
  }

  @AfterEach
  void end() throws Exception {
    if (user != null) {
      user.close();
    }
  }

  @Test
  void fromTheLinkToATransferThatIsCancelledAndOneThatArrives() throws Exception {
    Files.writeString(site.data.resolve(HOSTILE), "x");
    browser.open(user.service.url());
    browser.awaitText("Sign in", "fdt service link");
    user.signIn();
    assertThat((String) browser.eval("location.href")).doesNotContain("link=");

    browser.click("nav a", "Endpoints");
    user.addEndpoint("a", site.source().address().getPort(), site.source().localToken());
    user.addEndpoint("b", site.destination().address().getPort(), site.destination().localToken());
    browser.click("button", "Check a");
    browser.awaitText("a answers", "/data (read only)");

    browser.click("nav a", "Files");
    user.open("Left", "a", "/data");
    user.open("Right", "b", "/inc");
    browser.awaitText("run", HOSTILE);
    assertThat((String) browser.eval("document.title")).isEqualTo("Files - FDT");
    assertThat(
            (String)
                browser.eval(
                    "(() => { try { document.createElement('p').innerHTML = 'x'; return 'taken'; }"
                        + " catch (e) { return e.name; } })()"))
        .isEqualTo("TypeError"); // the browser itself refuses to read text as HTML
    assertThat(
            (String)
                browser.eval(
                    "performance.getEntriesByType('resource').map(e => e.name)"
                        + ".filter(name => !name.startsWith(location.origin + '/')).join()"))
        .as("from other hosts")
        .isEmpty();
    user.choose("Left", "run");
    browser.click("button", "Transfer to b");
    // So slow that the task runs for as long as this test looks at it.
    browser.type("dialog input[name=limit]", "0.1");
    browser.type("dialog input[name=label]", "<b>slow</b>");
    browser.eval("document.querySelectorAll('dialog details').forEach(d => { d.open = true; })");
    browser.type("dialog textarea[name=exclude]", "*.tmp");
    browser.awaitTrue(
        "document.querySelector('dialog .command code').textContent === "
            + Browser.quoted(
                "fdt task submit -r --exclude '*.tmp' --limit 102K --label '<b>slow</b>'"
                    + " a:/data/run b:/inc/"));
    browser.awaitText("Copy /data/run from a to /inc/ at b.", "1 file, 16.0 MiB");
    browser.click("dialog button", "Start");

    user.awaitState("active");
    browser.awaitText("<b>slow</b>", "stream", "filters: - *.tmp");
    browser.awaitTrue(PLOTTED);
    assertThat(browser.eval("getComputedStyle(document.querySelector('.u-legend')).visibility"))
        .as("no time and rate where nothing is pointed at")
        .isEqualTo("hidden");
    browser.point(".plot .u-over");
    browser.awaitTrue(
        "(e => getComputedStyle(e).visibility === 'visible' &&"
            + " /:\\d\\d\\s*Rate.*B\\/s/s.test(e.innerText))"
            + "(document.querySelector('.u-legend'))");
    browser.click("button", "Pause");
    user.awaitState("paused");
    browser.type("form input[name=limit]", "0.2");
    browser.click("form button", "Modify");
    browser.awaitText("205 KiB/s");
    browser.click("button", "Resume");
    user.awaitState("active");
    // The plot is that of the task, not of this visit.
    user.go("#/tasks");
    browser.eval("history.back()");
    browser.awaitTrue(PLOTTED);
    browser.click("button", "Cancel");
    browser.click("dialog button", "Cancel the task");
    user.awaitState("cancelled");

    browser.click("button", "Submit again");
    browser.awaitTrue("document.querySelector('dialog textarea[name=exclude]')?.value === '*.tmp'");
    browser.type("dialog input[name=label]", "again");
    browser.set("dialog input[name=limit]", "");
    browser.click("dialog button", "Start");
    user.awaitState("succeeded");
    browser.awaitText("again", "1 file transferred and verified");
    assertThat(Files.mismatch(site.incoming.resolve("run/large"), site.data.resolve("run/large")))
        .isEqualTo(-1);

    browser.click("nav a", "Activity");
    browser.awaitText("<b>slow</b>", "cancelled 1", "succeeded 1");
    Object task = user.rest().post("/api/v1/tasks", Site.transfer()).json().get("task_id");
    browser.awaitTrue(
        "!!document.querySelector('a[href=\"#/tasks/%s\"]')".formatted(task)); // by itself
    user.rest().end(task);
    browser.awaitText("succeeded 2");
    // The answer is late: meanwhile the service ends the stream of news.
    browser.eval(
        """
        (() => {
          const real = window.fetch;
          window.fetch = async (address, options) => {
            window.asked = [...(window.asked ?? []), options.method + ' ' + address];
            const answer = await real(address, options);
            await new Promise(later => setTimeout(later, options.method === 'DELETE' ? 5000 : 0));
            return answer;
          };
          return true;
        })()\
        """);
    browser.click("button", "Sign out");
    browser.awaitText("You are signed out.");
    assertThat((String) browser.eval("window.asked.join()"))
        .as("the end of the stream is not taken for the end of the service")
        .startsWith("DELETE /api/v1/session")
        .doesNotContain("GET /api/v1/session");
    assertThat(browser.complaints())
        .filteredOn(
            line ->
                !line.contains("401")
                    && !line.contains("status of 422")
                    && !line.contains("TrustedHTML") // what the test tried
                    && !line.contains("/api/v1/oidc")) // there is no identity provider
        .isEmpty();
  }

  @Test
  void theTaskViewSaysWhatAMirrorDeleted() throws Exception {
    site.addEndpoints(user.rest());
    Files.createDirectories(site.incoming.resolve("run"));
    Files.writeString(site.incoming.resolve("run/obsolete"), "x");
    Map<String, Object> mirror = Site.transfer();
    mirror.put("options", Map.of("recursive", true, "delete", true));
    Object task = user.rest().post("/api/v1/tasks", mirror).expect(201).json().get("task_id");
    user.rest().end(task);
    user.signIn();

    user.go("#/tasks/" + task);

    browser.awaitText(", 1 deleted", "Deleted: /inc/run/obsolete");
  }

  /** A fault names what is wrong and what to do, and the files are dragged this time. */
  @Test
  void aFaultSaysWhatToDoAndFilesAreDraggedOrChosenByKey() throws Exception {
    Files.createDirectories(site.incoming.resolve("into"));
    site.addEndpoints(user.rest());
    Files.setPosixFilePermissions(
        site.data.resolve("run/large"),
        java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
    user.signIn();
    user.open("Left", "a", "/data");
    user.open("Right", "b", "/inc");
    Files.createDirectories(site.incoming.resolve("into/run/large")); // in the way of the file
    browser.awaitTrue("!!" + PageUser.entry("Right", "into"));
    browser.eval(
        """
        (() => {
          const data = new DataTransfer();
          const fire = (e, name) => e.dispatchEvent(
              new DragEvent(name, {bubbles: true, cancelable: true, dataTransfer: data}));
          const from = %s, to = %s;
          fire(from, 'dragstart'); fire(to, 'dragover'); fire(to, 'drop'); fire(from, 'dragend');
          return true;
        })()\
        """
            .formatted(PageUser.entry("Left", "run"), PageUser.entry("Right", "into")));
    browser.awaitTrue(
        "document.querySelector('dialog input[name=destination_path]')?.value === '/inc/into/'");
    browser.click("dialog button", "Start");
    user.awaitState("failed");
    browser.awaitText("What went wrong", "What to do: ", "/run/large");

    user.go("#/files");
    user.open("Left", "a", "/data");
    browser.eval("document.querySelector('section[aria-label=Left] .list').focus(), true");
    browser.key("ArrowDown", 40);
    browser.key(" ", 32);
    browser.awaitText("1 selected");
    assertThat(
            browser.eval(
                "document.querySelector('[aria-activedescendant]').getAttribute('aria-label')"))
        .isEqualTo("Left: names");
    browser.key("Enter", 13);
    browser.awaitTrue(PageUser.shows(PageUser.pane("Left"), "/data/run"));
    browser.click("section[aria-label=Left] button", "Bookmark this directory");
    browser.type("dialog input[name=text]", "deep");
    browser.click("dialog button", "Keep");
    browser.awaitTrue("!document.querySelector('dialog')");
    browser.click("section[aria-label=Left] button", "Up");
    browser.awaitTrue(PageUser.shows(PageUser.pane("Left"), "/data"));
    browser.click("section[aria-label=Right] button.bookmark", "deep");
    browser.awaitTrue(PageUser.shows(PageUser.pane("Right"), "/data/run"));
    assertThat(browser.eval("document.querySelector('section[aria-label=Right] select').value"))
        .isEqualTo("a");

    browser.click("button", "Left: type a path");
    browser.type("section[aria-label=Left] input[name=path]", "/data/nowhere");
    browser.click("section[aria-label=Left] button", "Open");
    browser.awaitText("There is no such directory", "'/data/nowhere'");
    assertThat(browser.eval(TYPED)).as("refused, and still there").isEqualTo("/data/nowhere");
    browser.click("section[aria-label=Left] button", "Refresh");
    browser.awaitTrue(PageUser.shows(PageUser.pane("Left"), "/data"));
    browser.awaitTrue(TYPED + " === undefined");
  }

  @Test
  void filesOfATaskAreListedThoseWithProblemsFirstAndFoundByName() throws Exception {
    site.addEndpoints(user.rest());
    site.write("run/another", 1500, 2);
    Files.createDirectories(site.incoming.resolve("run/another")); // in the way of the file
    // So slow that the service follows when the file arrives.
    Object task = user.rest().post("/api/v1/tasks", Site.slow(8L * Site.MIB)).json().get("task_id");
    user.rest().end(task);
    user.signIn();
    user.go("#/tasks/" + task);
    browser.awaitText("2 of 2");
    String files = "[...document.querySelectorAll('.files li')].map(e => e.innerText).join('; ')";
    assertThat((String) browser.eval(files))
        .matches(
            "(?s)failed:\\s+/data/run/another: .* is a directory.*;"
                + " arrived:\\s+/data/run/large\\s+16.0 MiB");
    browser.type("input[name=find]", "LARGE");
    browser.awaitText("1 of 2");
    assertThat((String) browser.eval(files)).contains("/run/large").doesNotContain("another");
    browser.type("input[name=find]", "nothing");
    browser.awaitText("No name has 'nothing' in it.");
  }

  /** Each view has one heading, and nothing is wider than a phone. */
  @Test
  void onAPhone() throws Exception {
    site.addEndpoints(user.rest());
    user.signIn();
    Map<String, Object> slow = Site.slow();
    slow.put("limit", 100_000L);
    Object task = user.rest().post("/api/v1/tasks", slow).expect(201).json().get("task_id");
    user.go("#/tasks/" + task);
    browser.awaitTrue(PLOTTED); // in a window that is about to become narrower
    user.screen(390, 800, true);
    user.colours("dark");
    for (String view :
        List.of(
            "tasks/" + task,
            "files",
            "tasks",
            "endpoints",
            "timers",
            "notices",
            "tokens",
            "admin/audit")) {
      user.go("#/" + view);
      browser.awaitTrue("document.activeElement?.tagName === 'H1'");
      assertThat(browser.eval("document.querySelectorAll('h1').length")).isEqualTo(1L);
      browser.awaitTrue("document.documentElement.scrollWidth <= 390");
    }
    user.rest().post("/api/v1/tasks/" + task + "/cancel", null).expect(200);
    browser.key("Tab", 9);
    assertThat(browser.eval("document.activeElement.tagName")).isNotEqualTo("BODY");
    assertThat((String) browser.eval("getComputedStyle(document.body).backgroundColor"))
        .as("dark")
        .isEqualTo("rgb(15, 18, 22)");
  }
}
