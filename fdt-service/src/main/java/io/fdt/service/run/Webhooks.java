package io.fdt.service.run;

import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.json.Json;
import io.fdt.service.mail.MailServer.Answer;
import io.fdt.service.mail.MailServer.Result;
import io.fdt.service.store.Notice;
import io.fdt.service.store.Outbox;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.Vault;
import io.fdt.service.store.WebhookStore;
import io.fdt.service.task.Task;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.StringRequestContent;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends notices by HTTP POST, signed. The connection goes to the address that the rule has checked;
 * redirects are not followed, and only the status of the answer is read. Called by one thread.
 *
 * <pre>
 *   X-FDT-Signature: t=MILLISECONDS,v1=HEX     HMAC-SHA256 of "MILLISECONDS.BODY" with the secret
 * </pre>
 */
final class Webhooks implements Notices.Sender, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Webhooks.class);

  /** The timeout of a delivery: connection, request and the head of the answer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final long TAKEN_MILLIS = 60_000;
  private static final int MOST_OF_EACH = 4;

  /** The limits: a delivery ends before it counts as lost. */
  static final Notices.Limits LIMITS = new Notices.Limits(TAKEN_MILLIS, MOST_OF_EACH, 64);

  private static final int THREADS = 8;

  private final WebhookStore store;
  private final TaskStore tasks;
  private final Vault vault;
  private final Endpoints endpoints;
  private final Clock clock;
  private final Map<Boolean, HttpClient> clients = new HashMap<>();

  Webhooks(WebhookStore store, TaskStore tasks, Vault vault, Endpoints endpoints, Clock clock) {
    this.store = store;
    this.tasks = tasks;
    this.vault = vault;
    this.endpoints = endpoints;
    this.clock = clock;
  }

  @Override
  public void send(Outbox.Message message, Consumer<Answer> end) throws ServiceException {
    WebhookStore.Webhook webhook =
        store
            .get(message.target())
            .orElseThrow(() -> Fault.NOT_FOUND.of("the webhook was removed"));
    try {
      begin(message, webhook, end);
    } catch (FdtException | ServiceException | IllegalArgumentException e) {
      end.accept(new Answer(Result.FAILED, e.getMessage()));
    }
  }

  private void begin(Outbox.Message message, WebhookStore.Webhook webhook, Consumer<Answer> end)
      throws FdtException, ServiceException {
    String body = Json.text(body(message, tasks.get(webhook.owner(), message.task())));
    String secret = vault.decrypt(webhook.secret(), webhook.id());
    AtomicInteger status = new AtomicInteger();
    client(endpoints.isOperator(webhook.owner()), webhook.owner())
        .POST(URI.create(webhook.url()))
        .timeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
        .followRedirects(false)
        .headers(
            headers ->
                headers
                    .put("X-FDT-Delivery", deliveryId(message))
                    .put("X-FDT-Signature", signature(secret, clock.millis(), body)))
        .body(new StringRequestContent("application/json", body))
        .onResponseHeaders(
            response -> {
              status.set(response.getStatus());
              var unused = response.abort(new IOException("enough"));
            })
        .send(result -> end.accept(answer(status.get(), result.getFailure())));
  }

  private static Answer answer(int status, Throwable failure) {
    if (status / 100 == 2) {
      return new Answer(Result.SENT, "");
    }
    // Without the bytes of the answer, which exceptions about invalid answers quote.
    String problem =
        status != 0
            ? "its answer has status " + status
            : failure instanceof ConnectException e
                ? "it does not answer: " + IoReason.of(e)
                : "it does not answer as HTTP does";
    return new Answer(Result.FAILED, problem);
  }

  /** The client for one kind of user; its connections follow the rule for that kind. */
  private HttpClient client(boolean isOperator, String owner) {
    return clients.computeIfAbsent(
        isOperator,
        kind -> {
          QueuedThreadPool threads = new QueuedThreadPool(THREADS, 1);
          threads.setName("fdt-service-webhook");
          threads.setDaemon(true);
          HttpClient client = new HttpClient();
          client.setExecutor(threads);
          client.setConnectTimeout(TIMEOUT.toMillis());
          client.setMaxConnectionsPerDestination(MOST_OF_EACH);
          client.setDestinationIdleTimeout(TAKEN_MILLIS);
          client.setHttpCookieStore(new HttpCookieStore.Empty());
          client.setUserAgentField(new HttpField(HttpHeader.USER_AGENT, "fdt-service"));
          client.setSocketAddressResolver(
              (host, port, context, promise) -> {
                try {
                  promise.succeeded(
                      endpoints.resolve(owner, host).stream()
                          .map(address -> new InetSocketAddress(address, port))
                          .toList());
                } catch (ServiceException e) {
                  promise.failed(new IOException(e.getMessage()));
                }
              });
          try {
            client.start();
          } catch (Exception e) { // Jetty declares no less
            throw new IllegalArgumentException("no client for webhooks: " + e, e);
          }
          return client;
        });
  }

  /** Stops; deliveries in progress are repeated after the next start. Idempotent. */
  @Override
  public void close() {
    for (HttpClient client : clients.values()) {
      try {
        client.stop();
      } catch (Exception e) { // Jetty declares no less; there is nothing left to do
        LOG.debug("a client of webhooks did not stop: {}", e.toString());
      }
    }
  }

  /** The id of a delivery, equal for repetitions. */
  private static String deliveryId(Outbox.Message message) {
    String id = message.task() + "." + message.target();
    return message.notice() == Notice.END
        ? id
        : id + "." + message.notice().name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, Object> body(Outbox.Message message, Task task) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put(
        "event",
        switch (message.notice()) {
          case FAULT -> "task.fault";
          case DEADLINE -> "task.deadline";
          default -> "task.ended";
        });
    body.put("time", Instant.ofEpochMilli(message.created()).toString());
    body.put("task_id", task.id());
    body.put("state", task.state().name().toLowerCase(Locale.ROOT));
    body.put("label", task.wish().label());
    // The message at the time of the event; the other fields are current.
    body.put("message", message.notice() == Notice.END ? task.run().message() : message.detail());
    body.put("bytes_done", task.counts().bytesDone());
    body.put("files_done", task.counts().filesDone());
    body.put("files_failed", task.counts().filesFailed());
    body.put("files_deleted", task.counts().filesDeleted());
    return body;
  }

  /** The header that proves to a receiver that the service sent a body, and when. */
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
