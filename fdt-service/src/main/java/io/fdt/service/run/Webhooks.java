package io.fdt.service.run;

import io.fdt.core.error.FdtException;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.Vault;
import io.fdt.service.store.WebhookStore;
import io.fdt.service.task.Backoff;
import io.fdt.service.task.Task;
import io.fdt.service.value.Json;
import io.fdt.service.value.ServiceException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells users of the ends of their tasks by HTTP POST, signed, and repeated for a day. Confined to
 * one thread.
 *
 * <pre>
 *   X-FDT-Signature: t=MILLISECONDS,v1=HEX     HMAC-SHA256 of "MILLISECONDS.BODY" with the secret
 * </pre>
 */
final class Webhooks {
  private static final Logger LOG = LoggerFactory.getLogger(Webhooks.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final long GIVE_UP_MILLIS = Duration.ofDays(1).toMillis();
  private static final int MOST_AT_ONCE = 16;

  private final WebhookStore store;
  private final TaskStore tasks;
  private final Vault vault;
  private final AddressRule rule;
  private final Clock clock;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(TIMEOUT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  Webhooks(WebhookStore store, TaskStore tasks, Vault vault, AddressRule rule, Clock clock) {
    this.store = store;
    this.tasks = tasks;
    this.vault = vault;
    this.rule = rule;
    this.clock = clock;
  }

  /** Delivers what is due. */
  void tick() throws InterruptedException {
    for (WebhookStore.Delivery delivery : store.due(clock.millis(), MOST_AT_ONCE)) {
      String problem = problem(delivery);
      long now = clock.millis();
      if (problem.isEmpty()) {
        store.done(delivery);
      } else if (now - delivery.created() > GIVE_UP_MILLIS) {
        LOG.warn("task={} a webhook is given up: {}", delivery.task(), problem);
        store.done(delivery);
      } else {
        LOG.info("task={} a webhook is tried again later: {}", delivery.task(), problem);
        int attempt = delivery.attempts() + 1;
        store.failed(delivery, now + Backoff.pauseMillis(delivery.task(), attempt));
      }
    }
  }

  /** Why a delivery failed; empty when it did not. */
  private String problem(WebhookStore.Delivery delivery) throws InterruptedException {
    try {
      WebhookStore.Webhook webhook = delivery.webhook();
      URI uri = URI.create(webhook.url());
      // The JVM keeps the answer for 30 s: the connection goes to what is checked here.
      var unused = rule.resolve(uri.getHost());
      String body = Json.text(body(tasks.get(webhook.owner(), delivery.task())));
      String secret = vault.decrypt(webhook.secret(), webhook.id());
      HttpRequest request =
          HttpRequest.newBuilder(uri)
              .timeout(TIMEOUT)
              .header("Content-Type", "application/json")
              .header("X-FDT-Delivery", delivery.task() + "." + webhook.id())
              .header("X-FDT-Signature", signature(secret, clock.millis(), body))
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      return status / 100 == 2 ? "" : "its answer has status " + status;
    } catch (IOException e) {
      return e instanceof FdtException ? e.getMessage() : "it does not answer: " + e;
    } catch (ServiceException | IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private static Map<String, Object> body(Task task) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("event", "task.ended");
    body.put("task_id", task.id());
    body.put("state", task.state().name().toLowerCase(Locale.ROOT));
    body.put("label", task.wish().label());
    body.put("message", task.run().message());
    body.put("bytes_done", task.counts().bytesDone());
    body.put("files_done", task.counts().filesDone());
    body.put("files_failed", task.counts().filesFailed());
    return body;
  }

  /** The header by which a receiver knows that the service sent a body, and when. */
  static String signature(String secret, long millis, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      byte[] tag = mac.doFinal((millis + "." + body).getBytes(StandardCharsets.UTF_8));
      return "t=" + millis + ",v1=" + HexFormat.of().formatHex(tag);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC-SHA256", e);
    }
  }
}
