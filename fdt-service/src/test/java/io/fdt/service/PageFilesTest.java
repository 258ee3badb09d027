package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The two sides of Files, and messages. */
@Timeout(180)
class PageFilesTest {
  private static final String LEFT = "section[aria-label=Left]";

  @TempDir private Path root;
  private PageUser user;
  private Browser browser;

  @BeforeEach
  void start() throws Exception {
    user = PageUser.start(root);
    browser = user.browser;
    user.site.write("run/file", 1000, 1);
    user.site.write("one", 2048, 2);
    user.site.write(".hidden", 10, 3);
    Files.createDirectories(user.site.data.resolve("only"));
    user.site.write("only/.hidden", 10, 3);
  }

  @AfterEach
  void end() throws Exception {
    if (user != null) {
      user.close();
    }
  }

  @Test
  void theFirstVisitExplainsItself() throws Exception {
    user.signIn();
    browser.awaitText("One endpoint is there: this machine", "fdt serve DIR");
    browser.click("main a", "Add an endpoint");
    browser.awaitTrue("!!document.querySelector('#add')");
    browser.click("dialog button", "Back");
    browser.awaitTrue("!document.querySelector('dialog')");
    user.site.addEndpoints(user.rest());
    user.go("#/files");
    browser.awaitTrue("!document.querySelector('.hero')");
  }

  @Test
  void hiddenNamesAreHiddenAndTheSelectionHasASize() throws Exception {
    user.site.addEndpoints(user.rest());
    user.signIn();
    user.open("Left", "a", "/data");
    browser.awaitText("3 names, 1 hidden");
    assertThat(browser.eval("!!" + PageUser.entry("Left", ".hidden"))).isEqualTo(false);
    assertThat(browser.eval("document.querySelector('" + LEFT + " .entry').dataset.name"))
        .as("directories come first")
        .isEqualTo("only");
    user.choose("Left", "one");
    user.choose("Left", "run");
    browser.awaitText("2 selected: 2.00 KiB and 1 directory");
    browser.click(LEFT + " button", "Clear");
    browser.awaitText("3 names, 1 hidden");
    assertThat(browser.eval(disabled("Transfer to a"))).isEqualTo(true);
    assertThat(browser.eval(disabled("Rename"))).isEqualTo(true);

    user.open("Left", "a", "/data/only");
    browser.awaitText("Nothing here");
    browser.click("button", "Show 1 hidden name");
    browser.awaitTrue("!!" + PageUser.entry("Left", ".hidden"));
    browser.click(LEFT + " .crumbs button", "data");
    browser.awaitTrue(PageUser.shows(PageUser.pane("Left"), "/data"));
    browser.awaitText("4 names");
    browser.eval("document.querySelector('" + LEFT + " .list').focus(), true");
    browser.key("Backspace", 8);
    browser.awaitTrue(PageUser.shows(PageUser.pane("Left"), "/"));
  }

  private static String disabled(String button) {
    return "[...document.querySelectorAll('%s button')].find(b => b.textContent.trim() === '%s' || b.ariaLabel === '%s').disabled"
        .formatted(LEFT, button, button);
  }

  @Test
  void theLineBetweenTheSidesMovesAndAPhoneHasOneSide() throws Exception {
    user.site.addEndpoints(user.rest());
    user.signIn();
    user.open("Left", "a", "/data");
    user.open("Right", "b", "/inc");
    String width = "document.querySelector('" + LEFT + "').offsetWidth";
    long before = (Long) browser.eval(width);
    browser.eval("document.querySelector('[role=separator]').focus(), true");
    browser.key("ArrowRight", 39);
    browser.awaitTrue(width + " > " + (before + 20));
    browser.awaitTrue(
        "document.querySelector('[role=separator]').getAttribute('aria-valuenow') === '55'");
    assertThat(browser.eval("document.documentElement.scrollHeight <= innerHeight"))
        .as("the window's height")
        .isEqualTo(true);

    user.screen(390, 800, true);
    String shown =
        "[...document.querySelectorAll('.pane')].filter(p => p.offsetWidth > 0).map(p =>"
            + " p.ariaLabel).join()";
    browser.awaitTrue(shown + " === 'Left'");
    browser.click(".switch button", "b:/inc");
    browser.awaitTrue(shown + " === 'Right'");
    browser.awaitTrue(
        "(r => r.bottom <= innerHeight && r.bottom > innerHeight -"
            + " 40)([...document.querySelectorAll('.bar')].pop().getBoundingClientRect())");
  }

  @Test
  void anErrorLooksDifferentUntilItIsRepaired() throws Exception {
    user.site.addEndpoints(user.rest());
    user.signIn();
    user.go("#/endpoints");
    browser.click("button", "Check a");
    browser.awaitTrue("!!document.querySelector('.toast[role=status]:not(.bad)')");
    int port = user.site.stopDestination();
    browser.click("button", "Check b");
    browser.awaitTrue("!!document.querySelector('.toast.bad[role=alert]')");
    browser.key("Escape", 27);
    browser.awaitTrue("!document.querySelector('.toast.bad')");

    browser.click("button", "Modify b");
    browser.set("dialog input[name=fingerprint]", "SHA256:x");
    browser.click("dialog button", "Modify");
    browser.awaitTrue("document.querySelector('dialog .form-error').textContent !== ''");
    assertThat(browser.eval("document.querySelectorAll('.toast.bad').length"))
        .as("an error of a dialog is in the dialog")
        .isEqualTo(0L);
    browser.key("Escape", 27);
    browser.awaitTrue("!document.querySelector('dialog')");

    Object task = user.rest().post("/api/v1/tasks", Site.transfer()).json().get("task_id");
    user.go("#/tasks/" + task);
    await("a fault, whose pause is long now")
        .atMost(Duration.ofSeconds(60))
        .until(() -> user.site.sql("UPDATE task SET not_before = 4e12 WHERE not_before > 0") == 1);
    user.awaitState("retrying");
    browser.awaitText("What went wrong", "What to do: ");
    user.site.startDestination(port);
    browser.click("button", "Retry now");
    user.awaitState("succeeded");
    browser.awaitText("Repaired by later attempts");
    browser.awaitTrue("document.querySelector('.events li').innerText.includes('Succeeded')");
    assertThat(browser.text()).doesNotContain("What went wrong", "What to do: ");

    user.screen(1200, 500, false);
    browser.click("button", "Submit again");
    browser.click("dialog summary", "The same as a command");
    browser.awaitTrue(
        "(([code, foot]) => code.bottom <= foot.top)(['dialog .command', 'dialog .last']"
            + ".map(part => document.querySelector(part).getBoundingClientRect()))");
  }
}
