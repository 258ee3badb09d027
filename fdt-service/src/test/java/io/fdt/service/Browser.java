package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.json.Json;
import io.fdt.json.JsonException;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A headless Chromium with one page, told what to do by the DevTools protocol: JSON over a web
 * socket. Keeps what the browser complains of, such as a breach of the page's content policy.
 */
final class Browser {
  private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://([^/]+)/");
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final Process process;
  private final WebSocket socket;
  private final Socket answers;
  private final AtomicLong lastId = new AtomicLong();

  private Browser(Process process, WebSocket socket, Socket answers) {
    this.process = process;
    this.socket = socket;
    this.answers = answers;
  }

  /** What comes over the web socket. */
  private static final class Socket implements WebSocket.Listener {
    final Map<Long, CompletableFuture<Map<String, Object>>> waiting = new ConcurrentHashMap<>();
    final Queue<String> complaints = new ConcurrentLinkedQueue<>();
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        hear(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return null;
    }

    private void hear(String message) {
      try {
        Map<String, Object> json = Json.parseObject(message);
        if (json.get("id") instanceof Long id) {
          waiting.remove(id).complete(json);
        } else if (List.of("Log.entryAdded", "Runtime.exceptionThrown")
            .contains(json.get("method"))) {
          complaints.add(message);
        }
      } catch (JsonException e) {
        complaints.add(e.getMessage());
      }
    }
  }

  /** Skips the test where there is no Chromium; {@code .ci/count-tests} knows the message. */
  static Browser start(Path directory) throws Exception {
    boolean isInstalled =
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(one -> Files.isExecutable(Path.of(one, "chromium")));
    assumeTrue(isInstalled, "not installed: chromium");
    Path errors = directory.resolve("chromium.err");
    Process process =
        new ProcessBuilder(
                "chromium",
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--window-size=1200,900",
                "--remote-debugging-port=0",
                "--user-data-dir=" + directory.resolve("chromium"),
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(errors.toFile())
            .start();
    boolean isGood = false;
    try {
      await("a browser")
          .atMost(Duration.ofSeconds(60))
          .until(() -> LISTENING.matcher(Files.readString(errors)).find());
      Matcher matcher = LISTENING.matcher(Files.readString(errors));
      assertThat(matcher.find()).isTrue();
      HttpClient http = HttpClient.newHttpClient();
      Socket answers = new Socket();
      WebSocket socket =
          http.newWebSocketBuilder()
              .buildAsync(URI.create(page(http, matcher.group(1))), answers)
              .get(30, TimeUnit.SECONDS);
      Browser browser = new Browser(process, socket, answers);
      for (String domain : List.of("Page", "Runtime", "Log")) {
        browser.command(domain + ".enable", Map.of());
      }
      isGood = true;
      return browser;
    } finally {
      if (!isGood) {
        process.destroyForcibly();
      }
    }
  }

  /** The web socket of its page, which is made after the browser has begun to listen. */
  private static String page(HttpClient http, String address) {
    return await("a page of the browser")
        .atMost(DEADLINE)
        .until(() -> findPage(http, address), Optional::isPresent)
        .orElseThrow();
  }

  private static Optional<String> findPage(HttpClient http, String address)
      throws IOException, InterruptedException, JsonException {
    String list =
        http.send(
                HttpRequest.newBuilder(URI.create("http://" + address + "/json/list")).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    for (Object one : (List<?>) Json.parse(list)) {
      Map<?, ?> target = (Map<?, ?>) one;
      if ("page".equals(target.get("type"))) {
        return Optional.of((String) target.get("webSocketDebuggerUrl"));
      }
    }
    return Optional.empty();
  }

  Map<String, Object> command(String method, Map<String, Object> parameters) throws Exception {
    Map<String, Object> json = ask(method, parameters);
    assertThat(json).as(method).doesNotContainKey("error");
    return json;
  }

  private Map<String, Object> ask(String method, Map<String, Object> parameters) throws Exception {
    long id = lastId.incrementAndGet();
    CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
    answers.waiting.put(id, answer);
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("id", id);
    message.put("method", method);
    message.put("params", parameters);
    socket.sendText(Json.text(message), true).get(30, TimeUnit.SECONDS);
    return answer.get(30, TimeUnit.SECONDS);
  }

  void open(String url) throws Exception {
    command("Page.navigate", Map.of("url", url));
  }

  /** The value of an expression; null while one page makes way for another. */
  Object eval(String script) throws Exception {
    Map<String, Object> answer =
        ask(
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
    return List.copyOf(answers.complaints);
  }

  /** Ends it. */
  void close() throws InterruptedException {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.waitFor(30, TimeUnit.SECONDS);
  }
}
