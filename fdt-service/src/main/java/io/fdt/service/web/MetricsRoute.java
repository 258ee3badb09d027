package io.fdt.service.web;

import io.fdt.service.run.Dispatcher;
import io.fdt.service.store.FigureStore;
import io.fdt.service.store.FigureStore.OfEndpoint;
import io.fdt.service.store.FigureStore.OfLink;
import io.fdt.service.store.FigureStore.OfTask;
import io.fdt.service.store.Scope;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * Figures for Prometheus, in its text format: by link and state, by endpoint, and of each task that
 * runs. Names the endpoints of all users: only admins have the scope. Any thread.
 */
final class MetricsRoute {
  /** Lines of one figure. Memory: about 500 bytes each, while it answers. */
  private static final int MOST_LINES = 2000;

  private final FigureStore store;
  private final Dispatcher dispatcher;

  MetricsRoute(FigureStore store, Dispatcher dispatcher) {
    this.store = store;
    this.dispatcher = dispatcher;
  }

  Route route() {
    return new Route(
        "GET",
        "/metrics",
        Scope.METRICS,
        "Figures of all tasks, for Prometheus.",
        List.of(),
        call -> {
          byte[] text = text().getBytes(StandardCharsets.UTF_8);
          return Reply.stream("text/plain; version=0.0.4; charset=utf-8", out -> out.write(text));
        });
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    head(text, "tasks_running", "Tasks that run in this process.");
    line(text, "tasks_running", "", dispatcher.running());
    List<OfLink> links = store.links(MOST_LINES);
    ofLinks(text, links, "tasks", "Tasks.", OfLink::tasks);
    ofLinks(text, links, "attempts", "Attempts of these tasks.", OfLink::attempts);
    ofLinks(text, links, "faults", "Faults of these tasks.", OfLink::faults);
    ofLinks(text, links, "bytes", "Payload that these tasks have moved.", OfLink::bytes);
    head(text, "link_tasks_most", "Tasks that may run at once on a link, as it was found to work.");
    store
        .places(MOST_LINES)
        .forEach((link, places) -> line(text, "link_tasks_most", labels(link), places));
    head(text, "endpoint_tasks_running", "Tasks that run at an endpoint, in all processes.");
    ofEndpoints(text, "endpoint_tasks_running", store.runningAt(MOST_LINES));
    head(text, "endpoint_reachable", "Whether an endpoint could be used at the last look: 1 or 0.");
    ofEndpoints(text, "endpoint_reachable", store.reachable(MOST_LINES));
    List<OfTask> running = store.running(MOST_LINES);
    ofTasks(text, running, "task_bytes", "Payload that a running task has moved.", OfTask::bytes);
    ofTasks(text, running, "task_files", "Files that a running task has done.", OfTask::files);
    ofTasks(text, running, "task_faults", "Faults of a running task.", OfTask::faults);
    return text.toString();
  }

  private static void ofLinks(
      StringBuilder text,
      List<OfLink> links,
      String name,
      String help,
      ToLongFunction<OfLink> value) {
    head(text, name, help);
    for (OfLink one : links) {
      String state = label("state", one.state().name().toLowerCase(Locale.ROOT));
      line(text, name, labels(one.link()) + "," + state, value.applyAsLong(one));
    }
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
    head(text, name, help);
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

  private static void head(StringBuilder text, String name, String help) {
    text.append("# HELP fdt_service_").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE fdt_service_").append(name).append(" gauge\n");
  }

  private static void line(StringBuilder text, String name, String labels, long value) {
    text.append("fdt_service_").append(name);
    if (!labels.isEmpty()) {
      text.append('{').append(labels).append('}');
    }
    text.append(' ').append(value).append('\n');
  }
}
