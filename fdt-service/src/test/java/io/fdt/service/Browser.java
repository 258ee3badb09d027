package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The page of {@link Chromium}, of one test at a time. Keeps what the browser complains of, such as
 * a breach of the page's content policy.
 */
final class Browser {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final Chromium chromium;
  private final String session;
  private final Queue<String> complaints = new ConcurrentLinkedQueue<>();

  private Browser(Chromium chromium, String session) {
    this.chromium = chromium;
    this.session = session;
  }

  /** Skips the test where there is no Chromium. */
  static Browser start() throws Exception {
    Chromium chromium = Chromium.running();
    // With the session ends what the last test made of the window, the colours and the network.
    Browser browser = new Browser(chromium, chromium.attach());
    chromium.listen(browser.session, browser::take);
    for (String domain : List.of("Page", "Runtime", "Log")) {
      browser.command(domain + ".enable", Map.of());
    }
    browser.command("Network.clearBrowserCookies", Map.of());
    return browser;
  }

  private void take(Map<String, Object> event) {
    if (List.of("Log.entryAdded", "Runtime.exceptionThrown").contains(event.get("method"))) {
      complaints.add(Json.text(event));
    }
  }

  Map<String, Object> command(String method, Map<String, Object> parameters) throws Exception {
    Map<String, Object> json = chromium.ask(session, method, parameters);
    assertThat(json).as(method).doesNotContainKey("error");
    return json;
  }

  void open(String url) throws Exception {
    command("Page.navigate", Map.of("url", url));
  }

  /** The value of an expression; null while one page makes way for another. */
  Object eval(String script) throws Exception {
    Map<String, Object> answer =
        chromium.ask(
            session,
            "Runtime.evaluate",
            Map.of("expression", script, "returnByValue", true, "awaitPromise", true));
    if (answer.get("error") instanceof Map<?, ?> error) {
      assertThat(String.valueOf(error.get("message"))).as(script).contains("context");
      return null;
    }
    Map<?, ?> result = (Map<?, ?>) answer.get("result");
    assertThat(result.containsKey("exceptionDetails")).as("%s: %s", script, result).isFalse();
    return ((Map<?, ?>) result.get("result")).get("value");
  }

  /** What the page shows. */
  String text() throws Exception {
    return known((String) eval("document.body ? document.body.innerText : null"));
  }

  void awaitText(String... texts) throws Exception {
    try {
      await(String.join(", ", texts))
          .atMost(DEADLINE)
          .pollInterval(Duration.ofMillis(50))
          .until(() -> Arrays.stream(texts).allMatch(text()::contains));
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(e.getMessage() + "\nThe page shows:\n" + text(), e);
    }
  }

  private static String known(String text) {
    return text == null ? "" : text;
  }

  /** Waits until a script says yes. */
  void awaitTrue(String script) {
    await(script)
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> Boolean.TRUE.equals(eval(script)));
  }

  /** Clicks on the first element of a selector whose text or label is this; all when empty. */
  void click(String selector, String label) {
    String found =
        "[...document.querySelectorAll(%s)].find(e => !%s || e.textContent.trim() === %s || e.getAttribute('aria-label') === %s)"
            .formatted(quoted(selector), quoted(label), quoted(label), quoted(label));
    awaitTrue(
        "(() => { const e = "
            + found
            + "; if (!e || e.disabled) return false; e.click(); return true; })()");
  }

  /** Types a text into a field, as a person does who replaces what is there. */
  void type(String selector, String text) throws Exception {
    awaitTrue("!!document.querySelector(" + quoted(selector) + ")");
    eval("document.querySelector(%s).select(), true".formatted(quoted(selector)));
    command("Input.insertText", Map.of("text", text));
  }

  /** Gives a field a value, as when it is chosen there. */
  void set(String selector, String value) throws Exception {
    awaitTrue("!!document.querySelector(" + quoted(selector) + ")");
    eval(
        ("(() => { const e = document.querySelector(%s); e.value = %s;"
                + " for (const name of ['input', 'change'])"
                + " e.dispatchEvent(new Event(name, {bubbles: true})); return true; })()")
            .formatted(quoted(selector), quoted(value)));
  }

  /** Moves the pointer to the middle of an element. */
  void point(String selector) throws Exception {
    Object middle =
        eval(
            "(r => [r.x + r.width / 2, r.y + r.height / 2].map(Math.round).join())(document.querySelector(%s).getBoundingClientRect())"
                .formatted(quoted(selector)));
    String[] place = middle.toString().split(",");
    command(
        "Input.dispatchMouseEvent",
        Map.of("type", "mouseMoved", "x", Long.valueOf(place[0]), "y", Long.valueOf(place[1])));
  }

  void key(String key, int code) throws Exception {
    for (String type : List.of("rawKeyDown", "keyUp")) {
      command(
          "Input.dispatchKeyEvent",
          Map.of("type", type, "key", key, "code", key, "windowsVirtualKeyCode", (long) code));
    }
  }

  static String quoted(String text) {
    return Json.text(text);
  }

  /** Keeps a picture of the page with the results of the tests. */
  void picture(String name) throws Exception {
    Map<String, Object> answer = command("Page.captureScreenshot", Map.of("format", "png"));
    String data = (String) ((Map<?, ?>) answer.get("result")).get("data");
    Path directory = Files.createDirectories(Path.of("target", "page"));
    Files.write(directory.resolve(name + ".png"), Base64.getDecoder().decode(data));
  }

  /** What the browser complained of. */
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** Leaves the page, and what it stored. */
  void close() throws Exception {
    open("about:blank");
    chromium.detach(session);
  }
}
