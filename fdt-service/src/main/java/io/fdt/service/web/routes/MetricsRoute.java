package io.fdt.service.web.routes;

import io.fdt.service.run.Dispatcher;
import io.fdt.service.run.Totals;
import io.fdt.service.run.Totals.OfLink;
import io.fdt.service.store.FigureStore;
import io.fdt.service.store.FigureStore.OfEndpoint;
import io.fdt.service.store.FigureStore.OfTask;
import io.fdt.service.store.SettingStore;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.access.Scope;
import io.fdt.service.task.TaskState;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.Route;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Figures for Prometheus, in its text format. Each process shows its own counters and running
 * tasks; one process shows the database for all, so that sums are right. The output names the
 * endpoints of all users, so only admins have the scope. Any thread.
 */
public record MetricsRoute(Parts parts) {
  /** The most lines of one metric. Memory: about 500 bytes each, while it answers. */
  private static final int MOST_LINES = 2000;

  /**
   * How long the same process shows the database's figures: longer than the scrape interval of
   * Prometheus.
   */
  private static final long TURN_MILLIS = 150_000;

  private static final String VERSION =
      Optional.ofNullable(MetricsRoute.class.getPackage().getImplementationVersion())
          .orElse("development");

  /**
   * Sources of the figures.
   *
   * @param failures number of failed transactions
   * @param home of this process
   */
  public record Parts(
      FigureStore store,
      Dispatcher dispatcher,
      Totals totals,
      SettingStore settings,
      LongSupplier failures,
      String home) {}

  public Route route() {
    return Route.get(
        "/metrics",
        Scope.METRICS,
        "Metrics of all tasks, for Prometheus.",
        request -> Reply.text("text/plain; version=0.0.4; charset=utf-8", text()));
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    head(text, "build_info", "gauge", "The version of this process.");
    line(text, "build_info", label("version", VERSION), 1);
    head(text, "tasks_running", "gauge", "Tasks that run in this process.");
    line(text, "tasks_running", "", parts.dispatcher().running());
    counters(text);
    StringBuilder stored = new StringBuilder();
    boolean isUp = true;
    try {
      ofDatabase(stored);
    } catch (StoreException e) {
      isUp = false;
    }
    head(text, "database_up", "gauge", "Whether the database answers: 1 or 0.");
    line(text, "database_up", "", isUp ? 1 : 0);
    head(text, "database_failures_total", "counter", "Transactions of this process that failed.");
    line(text, "database_failures_total", "", parts.failures().getAsLong());
    return isUp ? text.append(stored).toString() : text.toString();
  }

  private void counters(StringBuilder text) {
    Map<FigureStore.Link, Totals.OfLink> all = parts.totals().all();
    counter(text, all, "attempts_total", "Attempts that this process has begun.", OfLink::attempts);
    counter(text, all, "faults_total", "Attempts that failed and are repeated.", OfLink::faults);
    counter(text, all, "bytes_total", "Payload that its tasks have moved.", OfLink::bytes);
    head(text, "tasks_ended_total", "counter", "Tasks that have ended in this process, by state.");
    all.forEach(
        (link, one) ->
            one.ended()
                .forEach(
                    (state, count) ->
                        line(text, "tasks_ended_total", labels(link) + state(state), count)));
  }

  private static void counter(
      StringBuilder text,
      Map<FigureStore.Link, Totals.OfLink> all,
      String name,
      String help,
      ToLongFunction<OfLink> value) {
    head(text, name, "counter", help);
    all.forEach((link, one) -> line(text, name, labels(link), value.applyAsLong(one)));
  }

  private static String state(TaskState state) {
    return "," + label("state", state.name().toLowerCase(Locale.ROOT));
  }

  private void ofDatabase(StringBuilder text) {
    FigureStore store = parts.store();
    head(text, "endpoint_tasks_running", "gauge", "Tasks of this process at an endpoint.");
    ofEndpoints(text, "endpoint_tasks_running", store.runningAt(MOST_LINES));
    List<OfTask> running = store.running(MOST_LINES);
    ofTasks(text, running, "task_bytes", "Payload that a running task has moved.", OfTask::bytes);
    ofTasks(text, running, "task_files", "Files that a running task has done.", OfTask::files);
    ofTasks(text, running, "task_faults", "Faults of a running task.", OfTask::faults);
    if (!parts.settings().hold("metrics", parts.home(), TURN_MILLIS)) {
      return; // another process shows the rest
    }
    FigureStore.Unfinished unfinished = store.unfinished();
    head(text, "tasks", "gauge", "Tasks that have not ended, of all processes, by state.");
    for (TaskState state : TaskState.values()) {
      if (!state.hasEnded()) {
        long count = unfinished.byState().getOrDefault(state, 0L);
        line(text, "tasks", state(state).substring(1), count);
      }
    }
    head(text, "queue_age_seconds", "gauge", "Age of the oldest task that is queued.");
    long since = unfinished.waitsSince() == 0 ? unfinished.now() : unfinished.waitsSince();
    line(text, "queue_age_seconds", "", Math.max(0, unfinished.now() - since) / 1000);
    head(text, "link_tasks_most", "gauge", "Tasks that may run at once on a link.");
    store
        .places(MOST_LINES)
        .forEach((link, places) -> line(text, "link_tasks_most", labels(link), places));
    head(text, "endpoint_reachable", "gauge", "Whether the last look found it usable: 1 or 0.");
    ofEndpoints(text, "endpoint_reachable", store.reachable(MOST_LINES));
  }

  private static void ofEndpoints(StringBuilder text, String name, List<OfEndpoint> endpoints) {
    for (OfEndpoint one : endpoints) {
      String labels = label("user", one.user()) + "," + label("endpoint", one.endpoint());
      line(text, name, labels, one.value());
    }
  }

  private static void ofTasks(
      StringBuilder text,
      List<OfTask> tasks,
      String name,
      String help,
      ToLongFunction<OfTask> value) {
    head(text, name, "gauge", help);
    for (OfTask one : tasks) {
      line(text, name, label("task", one.id()) + "," + labels(one.link()), value.applyAsLong(one));
    }
  }

  private static String labels(FigureStore.Link link) {
    return label("source", link.source()) + "," + label("destination", link.destination());
  }

  private static String label(String name, String value) {
    String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    return name + "=\"" + escaped + "\"";
  }

  private static void head(StringBuilder text, String name, String type, String help) {
    text.append("# HELP fdt_service_").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE fdt_service_").append(name).append(' ').append(type).append('\n');
  }

  private static void line(StringBuilder text, String name, String labels, long value) {
    text.append("fdt_service_").append(name);
    if (!labels.isEmpty()) {
      text.append('{').append(labels).append('}');
    }
    text.append(' ').append(value).append('\n');
  }
}
