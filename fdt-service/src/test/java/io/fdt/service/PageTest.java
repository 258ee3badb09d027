package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page, as a new user goes through it. */
@Timeout(120)
class PageTest {
  private static final String HOSTILE = "<img src=x onerror=document.title='hacked'>";

  @TempDir private Path root;
  private Site site;
  private TransferService service;
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    browser = Browser.start(root);
    site = new Site(root);
    site.write("run/large", 16 * Site.MIB, 1);
    service = site.service();
  }

  @AfterEach
  void end() throws Exception {
    if (browser != null) {
      browser.close();
    }
    if (site != null) {
      site.close();
    }
  }

  private void addEndpoint(String name, int port, String token) throws Exception {
    browser.type("#add input[name=name]", name);
    browser.type("#add input[name=address]", "127.0.0.1:" + port);
    browser.type("#add input[name=token]", token);
    browser.click("#add button", "Add");
    browser.awaitText("Trust this server?", "SHA256:");
    browser.click("dialog button", "Trust it");
    browser.awaitText(name + " was added.");
  }

  private void choose(String side, String endpoint, String path) throws Exception {
    String pane = "section[aria-label=" + side + "]";
    browser.awaitTrue("!!document.querySelector(" + Browser.quoted(pane) + ")");
    browser.eval(
        "(() => { const s = document.querySelector(%s); s.value = %s; s.dispatchEvent(new Event('change')); return true; })()"
            .formatted(Browser.quoted(pane + " select"), Browser.quoted(endpoint)));
    browser.awaitTrue(shows(pane, ""));
    browser.type(pane + " input[name=path]", path);
    browser.eval(
        "document.querySelector(" + Browser.quoted(pane + " form") + ").requestSubmit(), true");
    browser.awaitTrue(shows(pane, path));
  }

  /** Whether a pane shows a directory; any when the path is empty. */
  private static String shows(String pane, String path) {
    return "(p => %s === '' ? p !== undefined : p === %s)(document.querySelector(%s).dataset.path)"
        .formatted(Browser.quoted(path), Browser.quoted(path), Browser.quoted(pane));
  }

  @Test
  void fromTheLinkToATransferThatIsCancelledAndOneThatArrives() throws Exception {
    Files.writeString(site.data.resolve(HOSTILE), "x");
    browser.open(service.url());
    browser.awaitText("Sign in", "fdt service link");
    browser.picture("sign-in");
    browser.open(service.signInLink());
    browser.awaitText("Files", "Endpoints");
    assertThat((String) browser.eval("location.href")).doesNotContain("link=");

    browser.click("nav a", "Endpoints");
    addEndpoint("a", site.source().address().getPort(), site.source().localToken());
    addEndpoint("b", site.destination().address().getPort(), site.destination().localToken());
    browser.picture("endpoints");

    browser.click("nav a", "Files");
    choose("Left", "a", "/data");
    choose("Right", "b", "/inc");
    browser.awaitText("run/", HOSTILE);
    assertThat((String) browser.eval("document.title")).isEqualTo("Files - FDT");
    browser.click("section[aria-label=Left] input[type=checkbox]", "Choose run");
    browser.eval("document.querySelector('details').open = true");
    browser.type("input[name=limit]", "2");
    browser.type("input[name=label]", "<b>slow</b>");
    browser.picture("files");
    browser.click("button", "Transfer to the right");

    browser.awaitText("<b>slow</b>", "active", "streams");
    browser.awaitTrue(
        "document.querySelector('.plot polyline').getAttribute('points').split(' ').length > 2");
    browser.picture("task");
    browser.click("button", "Pause");
    browser.awaitTrue("document.getElementById('state').textContent === 'paused'");
    browser.click("button", "Resume");
    browser.awaitTrue("document.getElementById('state').textContent === 'active'");
    browser.click("button", "Cancel");
    browser.click("dialog button", "Cancel the task");
    browser.awaitTrue("document.getElementById('state').textContent === 'cancelled'");

    browser.click("nav a", "Files");
    choose("Left", "a", "/data");
    choose("Right", "b", "/inc");
    browser.click("section[aria-label=Left] input[type=checkbox]", "Choose run");
    browser.click("button", "Transfer to the right");
    browser.awaitTrue("document.getElementById('state')?.textContent === 'succeeded'");
    browser.awaitText("files transferred and verified");
    assertThat(site.incoming.resolve("run/large"))
        .hasSameBinaryContentAs(site.data.resolve("run/large"));

    browser.click("nav a", "Activity");
    browser.awaitText("<b>slow</b>", "cancelled", "succeeded");
    browser.picture("activity");
    Object task = site.rest(service.url()).post("/api/v1/tasks", Site.slow()).json().get("task_id");
    browser.awaitTrue(
        "!!document.querySelector('a[href=\"#/tasks/%s\"]')".formatted(task)); // by itself
    site.rest(service.url()).end(task);
    browser.click("button", "Sign out");
    browser.awaitText("You are signed out.");
    assertThat(browser.complaints())
        .filteredOn(line -> !line.contains("401") && !line.contains("status of 422"))
        .isEmpty();
  }

  /** Each control has a name, each view one heading, and nothing is wider than a phone. */
  @Test
  void byKeyboardAndOnAPhone() throws Exception {
    browser.open(service.signInLink());
    browser.awaitText("Files", "Left");
    browser.command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", 390L, "height", 800L, "deviceScaleFactor", 2L, "mobile", true));
    browser.command(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", "dark"))));
    for (String view : List.of("files", "tasks", "endpoints")) {
      browser.eval("location.hash = '#/" + view + "'");
      browser.awaitTrue("document.activeElement?.tagName === 'H1'");
      await(view).atMost(Duration.ofSeconds(30)).until(() -> !browser.text().contains("Loading."));
      assertThat(browser.eval("document.querySelectorAll('h1').length")).isEqualTo(1L);
      assertThat(browser.eval(NAMELESS)).as("%s: controls without a name", view).isEqualTo("");
      assertThat((Long) browser.eval("document.documentElement.scrollWidth"))
          .as(view)
          .isLessThanOrEqualTo(390);
      browser.picture("phone-" + view);
    }
    browser.key("Tab", 9);
    assertThat(browser.eval("document.activeElement.tagName")).isNotEqualTo("BODY");
    assertThat((String) browser.eval("getComputedStyle(document.body).backgroundColor"))
        .as("dark")
        .isEqualTo("rgb(13, 17, 23)");
  }

  private static final String NAMELESS =
      """
      [...document.querySelectorAll('button, input, select, a')]
          .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim()))
          .map(e => e.outerHTML).join()\
      """;
}
