package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.body;
import static io.fdt.service.web.http.Route.required;

import io.fdt.json.Json;
import io.fdt.service.run.Endpoints;
import io.fdt.service.run.Submission;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.TimerStore;
import io.fdt.service.store.Vault;
import io.fdt.service.store.WebhookStore;
import io.fdt.service.store.access.Scope;
import io.fdt.service.task.DailyWindow;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.task.TaskState;
import io.fdt.service.task.TimerPlan;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.net.URI;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The operations on recurring tasks and on webhooks. Any thread. */
public record TimerRoutes(
    TimerStore timers,
    TaskStore tasks,
    WebhookStore webhooks,
    Submission submission,
    Vault vault,
    Endpoints endpoints,
    Clock clock) {
  private static final long MOST_SECONDS = Duration.ofDays(366).toSeconds();

  /** The latest time, so that additions do not overflow. */
  private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");

  private static final String TIMERS = "/api/v1/timers";
  private static final String WEBHOOKS = "/api/v1/webhooks";

  public List<Route> routes() {
    return List.of(
        Route.post(
            TIMERS,
            Scope.TASKS,
            "Create a recurring task.",
            this::add,
            required("name", "string", "for people"),
            required("interval", "integer", "seconds between runs"),
            required("task", "object", "as for POST /api/v1/tasks, without submission_id"),
            body("start", "string", "first run; default: now"),
            body("end", "string", "no run after this time; default: none"),
            body(
                "window",
                "string",
                "hours of each day, by the clock of the service, as 22:00-06:00; runs outside"
                    + " move to its next start")),
        Route.get(
            TIMERS,
            Scope.READ,
            "List recurring tasks.",
            request -> Reply.json(Map.of("timers", views(timers.list(request.owner()))))),
        Route.get(
            TIMERS + "/{timer}",
            Scope.READ,
            "Show a recurring task.",
            request -> Reply.json(view(find(request)))),
        Route.delete(
            TIMERS + "/{timer}",
            Scope.TASKS,
            "Remove a recurring task; its submitted tasks stay.",
            request -> {
              timers.remove(find(request).id());
              return Reply.empty();
            }),
        Route.post(
            TIMERS + "/{timer}/pause",
            Scope.TASKS,
            "Pause a recurring task; its last task continues.",
            request -> pause(request, true)),
        Route.post(
            TIMERS + "/{timer}/resume",
            Scope.TASKS,
            "Resume a recurring task at its next time; missed runs are skipped.",
            request -> pause(request, false)),
        Route.post(
            WEBHOOKS,
            Scope.TASKS,
            "Add a webhook. Only this answer has the secret of its" + " signatures.",
            this::addWebhook,
            required("url", "string", "http or https"),
            body(NoticeField.NAME, "strings", NoticeField.TEXT)),
        Route.get(
            WEBHOOKS,
            Scope.READ,
            "List webhooks.",
            request ->
                Reply.json(
                    Map.of(
                        "webhooks",
                        webhooks.list(request.owner()).stream().map(TimerRoutes::view).toList()))),
        Route.delete(
            WEBHOOKS + "/{webhook}", Scope.TASKS, "Remove a webhook.", this::removeWebhook));
  }

  private TimerStore.Timer find(RequestContext request) throws ServiceException {
    return timers.get(request.owner(), request.path("timer"));
  }

  private List<Map<String, Object>> views(List<TimerStore.Timer> timers) throws ServiceException {
    List<Map<String, Object>> views = new ArrayList<>();
    for (TimerStore.Timer timer : timers) {
      views.add(view(timer));
    }
    return views;
  }

  /** Why the last task failed; empty if it did not, or is not kept any more. */
  private String lastFailure(TimerStore.Timer timer) {
    try {
      Task last = timer.lastTask().isEmpty() ? null : tasks.get(timer.owner(), timer.lastTask());
      return last == null || last.state() != TaskState.FAILED
          ? ""
          : "the last task failed: " + last.run().message();
    } catch (ServiceException e) {
      return "";
    }
  }

  private Map<String, Object> view(TimerStore.Timer timer) throws ServiceException {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("name", timer.name());
    view.put("interval", timer.intervalMillis() / 1000);
    view.put("next", Views.time(timer.nextAt()));
    view.put("end", Views.time(timer.untilAt()));
    if (!timer.window().isEmpty()) {
      view.put("window", timer.window());
    }
    view.put("runs", timer.runs());
    view.put("last_task", timer.lastTask());
    view.put("message", timer.message().isEmpty() ? lastFailure(timer) : timer.message());
    view.put("paused", timer.isPaused());
    view.put("task", task(timer));
    return view;
  }

  /** The fields of its tasks. An encoded specification is shown as the options of a task. */
  private static Map<String, Object> task(TimerStore.Timer timer) throws ServiceException {
    Map<String, Object> task = timer.fields();
    Fields options = new Fields(task).object("options");
    if (options.has("spec")) {
      task.put("options", TaskOptions.of(options).shown());
    }
    return task;
  }

  private Reply pause(RequestContext request, boolean isPaused) throws ServiceException {
    TimerStore.Timer timer = find(request);
    if (timer.nextAt() == 0) {
      throw Fault.CONFLICT.of(
          "timer '" + timer.name() + "' has ended; remove it and make a new one");
    }
    long now = clock.millis();
    long next =
        isPaused || !timer.isPaused() || timer.nextAt() > now
            ? timer.nextAt()
            : timer.plan().next(timer.nextAt(), now);
    timers.pause(timer.id(), isPaused, next);
    return Reply.json(view(find(request)));
  }

  private Reply add(RequestContext request) throws ServiceException {
    Fields fields = request.fields();
    String owner = request.owner();
    String name = fields.text("name", 63);
    request.about(name);
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
      throw Fault.INVALID.of(
          "'%s' is no name for a timer: letters, digits, dot, dash and underscore".formatted(name));
    }
    long interval = fields.number("interval", 1, MOST_SECONDS, 0);
    if (interval == 0) {
      throw Fault.INVALID.of("'interval' is missing");
    }
    long now = clock.millis();
    long start = time(fields, "start").orElse(now);
    long end = time(fields, "end").orElse(0L);
    String window = fields.optionalText("window", 20).orElse("");
    Optional<DailyWindow> hours = DailyWindow.parse(window, ZoneId.systemDefault());
    if (!window.isEmpty() && hours.isEmpty()) {
      throw Fault.INVALID.of("'window' is '%s', and must be as 22:00-06:00".formatted(window));
    }
    if (!fields.has("task")) {
      throw Fault.INVALID.of("'task' is missing");
    }
    Map<String, Object> task = fields.map("task");
    fields.finish();
    if (task.containsKey("submission_id") || task.containsKey("deadline")) {
      throw Fault.INVALID.of("each run has its own submission_id and deadline");
    }
    var unused = submission.make(owner, new Fields(task));
    if (end != 0 && end < start) {
      throw Fault.INVALID.of("'end' comes before 'start'");
    }
    TimerPlan plan = new TimerPlan(Duration.ofSeconds(interval).toMillis(), end, hours);
    long first = plan.first(start);
    if (first == 0) {
      throw Fault.INVALID.of("there is no time of 'window' before 'end'");
    }
    TimerStore.Timer timer =
        new TimerStore.Timer(
            Secrets.id(),
            owner,
            name,
            Json.text(task),
            plan.interval(),
            first,
            end,
            window,
            0,
            "",
            "",
            false);
    timers.add(timer);
    return Reply.created(TIMERS + "/" + name, view(timer));
  }

  private static Optional<Long> time(Fields fields, String name) throws ServiceException {
    Optional<String> text = fields.optionalText(name, 40);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      Instant time = Instant.parse(text.get());
      if (time.isBefore(LATEST)) {
        return Optional.of(time.toEpochMilli());
      }
    } catch (DateTimeException | ArithmeticException e) {
      // The same error as for a time out of range.
    }
    throw Fault.INVALID.of("'%s' must be a time such as 2027-01-31T12:00:00Z".formatted(name));
  }

  private Reply addWebhook(RequestContext request) throws ServiceException {
    Fields fields = request.fields();
    String url = fields.text("url", 2000);
    String notices = NoticeField.read(fields);
    fields.finish();
    try {
      URI uri = URI.create(url);
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (!isHttp || uri.getHost() == null || uri.getUserInfo() != null) {
        throw new IllegalArgumentException("no http address");
      }
      String host = uri.getHost().replaceAll("[\\[\\]]", "");
      var unused = endpoints.resolve(request.owner(), host);
    } catch (IllegalArgumentException e) {
      throw Fault.INVALID.of("'" + url + "' is not of the form https://HOST/PATH");
    }
    String id = Secrets.id();
    String secret = Secrets.secret("fdtw_");
    WebhookStore.Webhook webhook =
        new WebhookStore.Webhook(
            id, request.owner(), url, notices, vault.encrypt(secret, id), clock.millis());
    webhooks.add(webhook);
    Map<String, Object> view = view(webhook);
    view.put("secret", secret);
    return Reply.created(WEBHOOKS + "/" + id, view);
  }

  private static Map<String, Object> view(WebhookStore.Webhook webhook) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("webhook_id", webhook.id());
    view.put("url", webhook.url());
    view.put(NoticeField.NAME, NoticeField.view(webhook.notices()));
    return view;
  }

  private Reply removeWebhook(RequestContext request) throws ServiceException {
    if (!webhooks.remove(request.owner(), request.path("webhook"))) {
      throw Fault.NOT_FOUND.of("there is no such webhook");
    }
    return Reply.empty();
  }
}
