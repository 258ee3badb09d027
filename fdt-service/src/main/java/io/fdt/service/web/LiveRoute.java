package io.fdt.service.web;

import io.fdt.service.run.Live;
import io.fdt.service.store.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Json;
import io.fdt.service.value.ServiceException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * News of tasks as server-sent events. Each client holds a thread, so their number is bounded. Any
 * thread.
 */
final class LiveRoute {
  private static final int MOST_CLIENTS = 64;

  /** Shorter than the idle timeouts of what may stand in between. */
  private static final int SILENT_SECONDS = 10;

  private static final byte[] PING = ": ping\n\n".getBytes(StandardCharsets.UTF_8);

  private final Live live;
  private final Semaphore places = new Semaphore(MOST_CLIENTS);
  private volatile boolean closed;

  LiveRoute(Live live) {
    this.live = live;
  }

  Route route() {
    return new Route(
        "GET",
        "/api/v1/live",
        Scope.READ,
        "News of your tasks while they happen, as server-sent events named task.",
        List.of(),
        this::stream);
  }

  private Reply stream(Call call) throws ServiceException {
    if (!places.tryAcquire()) {
      throw new ServiceException(
          Fault.BUSY, "%d clients watch already; ask for single tasks".formatted(MOST_CLIENTS));
    }
    // Before the answer begins: what happens from now on is heard.
    Live.Subscription subscription = live.subscribe(call.user().owner());
    return Reply.stream("text/event-stream", out -> write(subscription, out));
  }

  private void write(Live.Subscription subscription, OutputStream out)
      throws IOException, InterruptedException {
    try (subscription) {
      out.write(PING);
      out.flush();
      int silent = 0;
      while (!closed) {
        List<Live.News> news = subscription.await(1000);
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
    } finally {
      places.release();
    }
  }

  void close() {
    closed = true;
  }
}
