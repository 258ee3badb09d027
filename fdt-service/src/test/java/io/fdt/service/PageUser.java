package io.fdt.service;

import java.nio.file.Path;
import java.util.Map;

/** A user of the page: a browser, a service, and two servers. */
final class PageUser {
  final Browser browser;
  final Site site;
  final TransferService service;

  private PageUser(Browser browser, Site site, TransferService service) {
    this.browser = browser;
    this.site = site;
    this.service = service;
  }

  /** Skips the test where there is no Chromium. */
  static PageUser start(Path root) throws Exception {
    Browser browser = Browser.start();
    Site site = null;
    boolean isGood = false;
    try {
      site = new Site(root);
      PageUser user = new PageUser(browser, site, site.service());
      isGood = true;
      return user;
    } finally {
      if (!isGood) {
        browser.close();
        if (site != null) {
          site.close();
        }
      }
    }
  }

  Rest rest() throws Exception {
    return site.rest(service.url());
  }

  void signIn() throws Exception {
    browser.open(service.signInLink());
    browser.awaitText("Files");
    browser.awaitTrue("!!document.querySelector(" + Browser.quoted(pane("Left")) + ")");
  }

  /** Goes to a view by its address, and waits until it is there and has loaded. */
  void go(String hash) throws Exception {
    browser.eval("location.hash = " + Browser.quoted(hash));
    browser.awaitTrue("document.getElementById('main').dataset.view === " + Browser.quoted(hash));
    browser.awaitTrue("!document.body.innerText.includes('Loading.')");
  }

  void addEndpoint(String name, int port, String token) throws Exception {
    browser.click("button", "Add an endpoint");
    browser.type("#add input[name=address]", "127.0.0.1:" + port);
    browser.type("#add input[name=name]", name);
    browser.click("dialog button", "Next");
    browser.awaitText("Trust this server?", "SHA256:");
    browser.click("dialog button", "Trust it");
    browser.type("dialog input[name=token]", token);
    browser.click("dialog button", "Test and add");
    browser.awaitText(name + " was added.");
    browser.click("dialog button", "Done");
    browser.awaitTrue("!document.querySelector('dialog')");
  }

  static String pane(String side) {
    return "section[aria-label=" + side + "]";
  }

  /** Opens a directory in a pane. */
  void open(String side, String endpoint, String path) throws Exception {
    String pane = pane(side);
    browser.awaitTrue("!!document.querySelector(" + Browser.quoted(pane) + ")");
    browser.set(pane + " select", endpoint);
    browser.awaitTrue(shows(pane, ""));
    browser.click(pane + " button", side + ": type a path");
    browser.type(pane + " input[name=path]", path);
    browser.click(pane + " form button", "Open");
    browser.awaitTrue(shows(pane, path));
  }

  /** Whether a pane shows a directory; any when the path is empty. */
  static String shows(String pane, String path) {
    return "(p => %s === '' ? p !== undefined : p === %s)(document.querySelector(%s).dataset.path)"
        .formatted(Browser.quoted(path), Browser.quoted(path), Browser.quoted(pane));
  }

  /** Clicks on the row of a name, beside what opens it. */
  void choose(String side, String name) {
    browser.awaitTrue(
        "(() => { const e = %s; if (!e) return false; e.querySelector('.mark').click(); return e.getAttribute('aria-selected') === 'true'; })()"
            .formatted(entry(side, name)));
  }

  static String entry(String side, String name) {
    return "[...document.querySelectorAll(%s)].find(e => e.dataset.name === %s)"
        .formatted(Browser.quoted(pane(side) + " .entry"), Browser.quoted(name));
  }

  void screen(long width, long height, boolean isPhone) throws Exception {
    browser.command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1L, "mobile", isPhone));
    browser.awaitTrue("innerWidth === " + width);
  }

  /** Asks for light or dark colours. */
  void colours(String scheme) throws Exception {
    browser.command(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            java.util.List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    browser.awaitTrue("matchMedia('(prefers-color-scheme: " + scheme + ")').matches");
  }

  void awaitState(String state) {
    browser.awaitTrue(
        "document.querySelector('#state .badge')?.textContent === " + Browser.quoted(state));
  }

  void close() throws Exception {
    browser.close();
    site.close();
  }
}
