package io.fdt.service;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.json.Json;
import io.fdt.json.JsonException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The headless Chromium of this JVM, driven by the DevTools protocol over a pipe: JSON, each
 * message followed by a zero byte. It starts for the first test that needs it, and ends when the
 * pipe is closed, which is when this JVM ends, however that happens. Safe for use by several
 * threads.
 */
final class Chromium {
  /** The pipe is its descriptors 3 and 4; its profile goes when it has ended. */
  private static final String SCRIPT =
      """
      profile=$(mktemp -d) || exit
      exec 3<&0 4>&1 </dev/null >/dev/null 2>&1
      chromium --user-data-dir="$profile" "$@"
      rm -rf "$profile"
      """;

  private static Chromium running;

  private final Process process;
  private final OutputStream orders;
  private final AtomicLong lastId = new AtomicLong();
  private final Map<Long, CompletableFuture<Map<String, Object>>> waiting =
      new ConcurrentHashMap<>();
  private final Map<String, Consumer<Map<String, Object>>> pages = new ConcurrentHashMap<>();

  private Chromium(Process process) {
    this.process = process;
    orders = process.getOutputStream();
  }

  /** Skips the test where there is none; {@code .ci/count-tests} knows the message. */
  static synchronized Chromium running() throws IOException {
    boolean isInstalled =
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(one -> Files.isExecutable(Path.of(one, "chromium")));
    assumeTrue(isInstalled, "not installed: chromium");
    if (running == null || !running.process.isAlive()) {
      Process process =
          new ProcessBuilder(
                  "sh",
                  "-c",
                  SCRIPT,
                  "chromium",
                  "--remote-debugging-pipe",
                  "--headless=new",
                  "--no-sandbox",
                  "--disable-gpu",
                  "--disable-dev-shm-usage",
                  "--no-first-run",
                  "--disable-background-networking",
                  "--window-size=1200,900",
                  "about:blank")
              .start();
      running = new Chromium(process);
      Thread reader = new Thread(running::read, "chromium");
      reader.setDaemon(true);
      reader.start();
    }
    return running;
  }

  private void read() {
    try (InputStream in = new BufferedInputStream(process.getInputStream(), 1 << 16)) {
      ByteArrayOutputStream message = new ByteArrayOutputStream();
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next > 0) {
          message.write(next);
        } else {
          take(message.toString(StandardCharsets.UTF_8));
          message.reset();
        }
      }
      fail(new IOException("chromium has ended"));
    } catch (IOException | JsonException e) {
      fail(e);
    }
  }

  private void take(String message) throws JsonException {
    Map<String, Object> json = Json.parseObject(message);
    if (json.get("id") instanceof Long id) {
      waiting.remove(id).complete(json);
    } else {
      pages.getOrDefault(json.getOrDefault("sessionId", ""), event -> {}).accept(json);
    }
  }

  private void fail(Exception e) {
    waiting.values().forEach(answer -> answer.completeExceptionally(e));
  }

  /** Begins a session with its page. */
  String attach() throws Exception {
    Map<String, Object> targets = ask("", "Target.getTargets", Map.of());
    for (Object one : (List<?>) ((Map<?, ?>) targets.get("result")).get("targetInfos")) {
      Map<?, ?> target = (Map<?, ?>) one;
      if ("page".equals(target.get("type"))) {
        Map<String, Object> page = Map.of("targetId", target.get("targetId"), "flatten", true);
        Map<String, Object> attached = ask("", "Target.attachToTarget", page);
        return (String) ((Map<?, ?>) attached.get("result")).get("sessionId");
      }
    }
    throw new IOException("chromium has no page");
  }

  void listen(String session, Consumer<Map<String, Object>> events) {
    pages.put(session, events);
  }

  void detach(String session) throws Exception {
    pages.remove(session);
    ask("", "Target.detachFromTarget", Map.of("sessionId", session));
  }

  /**
   * The answer to a command.
   *
   * @param session that of a page; empty for the browser itself
   */
  Map<String, Object> ask(String session, String method, Map<String, Object> parameters)
      throws Exception {
    long id = lastId.incrementAndGet();
    CompletableFuture<Map<String, Object>> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("id", id);
    message.put("method", method);
    message.put("params", parameters);
    if (!session.isEmpty()) {
      message.put("sessionId", session);
    }
    synchronized (orders) {
      orders.write(Json.text(message).getBytes(StandardCharsets.UTF_8));
      orders.write(0);
      orders.flush();
    }
    return answer.get(30, TimeUnit.SECONDS);
  }
}
