package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.query;

import io.fdt.json.Json;
import io.fdt.service.run.Live;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.auth.UserLimits;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * News of tasks as server-sent events. Each client holds a thread, so their number is bounded. Any
 * thread.
 */
public final class LiveRoute {
  public static final int MOST_CLIENTS = 64;

  /** The interval of keepalives, shorter than the idle timeouts of proxies. */
  private static final int SILENT_SECONDS = 10;

  /** The interval of checks of the token: a revoked one gets news at most this long. */
  private static final long CHECK_NANOS = 2_000_000_000L;

  private static final byte[] PING = ": ping\n\n".getBytes(StandardCharsets.UTF_8);

  private final Live live;
  private final UserLimits limits;
  private final Semaphore places = new Semaphore(MOST_CLIENTS);
  private volatile boolean closed;

  public LiveRoute(Live live, UserLimits limits) {
    this.live = live;
    this.limits = limits;
  }

  public Route route() {
    return Route.get(
        "/api/v1/live",
        Scope.READ,
        "Stream changes of your tasks, as server-sent events named task.",
        this::stream,
        query("user", "string", "* for the tasks of all users (admins)"));
  }

  private Reply stream(RequestContext request) throws ServiceException {
    String owner = TaskRoutes.listed(request);
    UserLimits.Permit permit = limits.stream(request.owner());
    if (!places.tryAcquire()) {
      permit.close();
      throw Fault.BUSY.of(
          "%d clients stream already; request single tasks".formatted(MOST_CLIENTS));
    }
    // Subscribed before the answer begins, so that no news is lost.
    Live.Subscription subscription = live.subscribe(owner);
    return Reply.stream(
        "text/event-stream",
        out -> {
          try (permit;
              subscription) {
            write(subscription, request, out);
          } finally {
            places.release();
          }
        });
  }

  private void write(Live.Subscription subscription, RequestContext request, OutputStream out)
      throws IOException, InterruptedException {
    out.write(PING);
    out.flush();
    long checkedNanos = System.nanoTime();
    int silent = 0;
    while (!closed) {
      List<Live.News> news = subscription.await(1000);
      long now = System.nanoTime();
      if (now - checkedNanos >= CHECK_NANOS) {
        checkedNanos = now;
        if (!request.isGoodStill()) {
          return; // signed out, or the token was revoked
        }
      }
      for (Live.News one : news) {
        String data = Json.text(Views.task(one.task(), one.progress()));
        out.write(("event: task\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
      }
      silent = news.isEmpty() ? silent + 1 : 0;
      if (silent == SILENT_SECONDS) {
        silent = 0;
        out.write(PING);
      }
      out.flush();
    }
  }

  public void close() {
    closed = true;
  }
}
