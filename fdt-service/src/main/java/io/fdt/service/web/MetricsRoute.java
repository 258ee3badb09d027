package io.fdt.service.web;

import io.fdt.service.run.Dispatcher;
import io.fdt.service.store.Scope;
import io.fdt.service.store.TaskStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** Figures for Prometheus, in its text format. Any thread. */
final class MetricsRoute {
  /** Links and states with lines of their own. Memory: about 500 bytes each, while it answers. */
  private static final int MOST_LINES = 2000;

  private final TaskStore store;
  private final Dispatcher dispatcher;

  MetricsRoute(TaskStore store, Dispatcher dispatcher) {
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
    List<TaskStore.Figures> figures = store.figures(MOST_LINES);
    StringBuilder text = new StringBuilder();
    head(text, "fdt_service_tasks_running", "gauge", "Tasks that run in this process.");
    text.append("fdt_service_tasks_running ").append(dispatcher.running()).append('\n');
    add(text, figures, "fdt_service_tasks", "gauge", "Tasks.", TaskStore.Figures::tasks);
    add(
        text,
        figures,
        "fdt_service_attempts",
        "gauge",
        "Attempts of these tasks.",
        TaskStore.Figures::attempts);
    add(
        text,
        figures,
        "fdt_service_faults",
        "gauge",
        "Faults of these tasks.",
        TaskStore.Figures::faults);
    add(
        text,
        figures,
        "fdt_service_bytes",
        "gauge",
        "Payload that these tasks have moved.",
        TaskStore.Figures::bytes);
    return text.toString();
  }

  private static void head(StringBuilder text, String name, String type, String help) {
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private static void add(
      StringBuilder text,
      List<TaskStore.Figures> figures,
      String name,
      String type,
      String help,
      ToLongFunction<TaskStore.Figures> value) {
    head(text, name, type, help);
    for (TaskStore.Figures one : figures) {
      // Names of endpoints are letters, digits, dots, dashes and underscores: nothing to escape.
      text.append(name)
          .append("{source=\"")
          .append(one.source())
          .append("\",destination=\"")
          .append(one.destination())
          .append("\",state=\"")
          .append(one.state().name().toLowerCase(Locale.ROOT))
          .append("\"} ")
          .append(value.applyAsLong(one))
          .append('\n');
    }
  }
}
