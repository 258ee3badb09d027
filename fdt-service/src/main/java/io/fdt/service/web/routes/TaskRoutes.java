package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.body;
import static io.fdt.service.web.http.Route.header;
import static io.fdt.service.web.http.Route.query;
import static io.fdt.service.web.http.Route.required;

import io.fdt.service.run.Dispatcher;
import io.fdt.service.run.Live;
import io.fdt.service.run.Previews;
import io.fdt.service.run.Rates;
import io.fdt.service.run.Submission;
import io.fdt.service.store.TaskFilter;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.access.Scope;
import io.fdt.service.task.ArrivedFiles;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskEvent;
import io.fdt.service.task.TaskState;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Cursor;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/** The operations on tasks. Any thread. */
public final class TaskRoutes {
  private static final String TASK = "/api/v1/tasks/{task}";

  /** The longest time that a client may hold a thread. */
  private static final long MOST_WAIT_SECONDS = 60;

  /** The most waiting requests: half of the threads for answers. */
  private static final int MOST_WAITS = 100;

  /** The most files with problems that are named; an attempt records as many. */
  private static final int MOST_PROBLEMS = 1000;

  private final TaskStore store;
  private final Dispatcher dispatcher;
  private final Submission submission;
  private final Previews previews;
  private final Live live;
  private final Clock clock;
  private final Semaphore waits = new Semaphore(MOST_WAITS);

  public TaskRoutes(
      TaskStore store,
      Dispatcher dispatcher,
      Submission submission,
      Previews previews,
      Live live,
      Clock clock) {
    this.store = store;
    this.dispatcher = dispatcher;
    this.submission = submission;
    this.previews = previews;
    this.live = live;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.post(
            "/api/v1/tasks",
            Scope.TASKS,
            "Submit a task. A repeated submission_id returns the same task.",
            this::submit,
            body("kind", "string", "transfer (default) or delete"),
            body("submission_id", "string", "chosen by the client; default: a new one"),
            header(RequestContext.IDEMPOTENCY_KEY, "another way to send submission_id"),
            required("source_endpoint", "string", "its name or id"),
            required("source_paths", "strings", "paths to transfer or remove"),
            body("destination_endpoint", "string", "for a transfer"),
            body("destination_path", "string", "for a transfer"),
            body(
                "options",
                "CopyOptions",
                "as in fdt copy; filters are '+ PATTERN' to include and '- PATTERN' to exclude"
                    + " names; or spec, a TransferSpec in Base64 with all options, and encrypt"),
            body("label", "string", "for people"),
            body("priority", "integer", "-100 to 100; default 0"),
            body(
                "deadline",
                "string",
                "when the task fails unless it has ended; default: in three days"),
            body("limit", "integer", "bytes per second; 0 for none")),
        Route.question(
            "/api/v1/previews",
            Scope.TASKS,
            "Dry run: compare source and destination of a transfer, and change nothing. The"
                + " fields are those of a task.",
            request -> Reply.json(previews.run(request.owner(), request.fields())),
            required("source_endpoint", "string", "its name or id"),
            required("source_paths", "strings", "what to transfer"),
            required("destination_endpoint", "string", "its name or id"),
            required("destination_path", "string", "where to"),
            body("options", "CopyOptions", "as of a task")),
        Route.get(
            "/api/v1/tasks",
            Scope.READ,
            "List tasks, newest first.",
            this::list,
            query("state", "string", "of this state only"),
            query("text", "string", "text in the label, the id, a path or an endpoint's name"),
            query("user", "string", "of this user; * for all users (admins)"),
            query("limit", "integer", "1 to 1000, default 50"),
            query("cursor", "string", "next_cursor of the previous page")),
        Route.get(
            "/api/v1/counts",
            Scope.READ,
            "Count tasks by state.",
            this::count,
            query("text", "string", "text in the label, the id, a path or an endpoint's name"),
            query("user", "string", "of this user; * for all users (admins)")),
        Route.get(
            TASK + "/rates",
            Scope.READ,
            "Show the rate of a task over time: bytes per second, each interval_ms.",
            this::rates),
        Route.get(
            TASK + "/files",
            Scope.READ,
            "List files of a task: those with problems, then the last 500 that were seen to"
                + " arrive.",
            this::files,
            query("text", "string", "text in the name or the problem"),
            query("limit", "integer", "1 to 1000, default 200")),
        Route.get(
            TASK,
            Scope.READ,
            "Show a task.",
            this::show,
            query("wait", "integer", "seconds to wait for its end before the answer")),
        Route.patch(
            TASK,
            Scope.TASKS,
            "Change a task that has not ended; needs If-Match.",
            this::modify,
            body("label", "string", "for people"),
            body("priority", "integer", "-100 to 100"),
            body("deadline", "string", "when to give up"),
            body("limit", "integer", "bytes per second; 0 for none")),
        Route.get(
            TASK + "/events",
            Scope.READ,
            "List the events of a task, oldest first.",
            this::events,
            query("limit", "integer", "1 to 1000, default 100"),
            query("cursor", "string", "next_cursor of the previous page")),
        change("cancel", "End a task.", store::cancel),
        change("pause", "Stop a task for now.", store::pause),
        change("resume", "Let a paused task go on, or retry now.", store::resume));
  }

  @FunctionalInterface
  private interface Change {
    Task apply(String owner, String id, long now) throws ServiceException;
  }

  private Route change(String name, String summary, Change change) {
    return Route.post(
        TASK + "/" + name,
        Scope.TASKS,
        summary,
        request -> {
          Task task = change.apply(owner(request), id(request), clock.millis());
          request.about(named(task));
          dispatcher.changed(task);
          return shown(task);
        });
  }

  /** A task in the audit log. */
  private static String named(Task task) {
    Task.Work work = task.work();
    String ends =
        work.destination().isEmpty()
            ? "deletion at " + work.sourceName()
            : work.sourceName() + " \u2192 " + work.destinationName();
    return task.id().substring(0, 8) + ": " + ends;
  }

  private Reply shown(Task task) {
    return Reply.json(Views.task(task, live.progress(task.id())))
        .with("ETag", "\"" + task.version() + "\"");
  }

  private Reply submit(RequestContext request) throws ServiceException {
    Fields fields = request.fields();
    if (!request.idempotencyKey().isEmpty()) {
      fields =
          fields.with("submission_id", request.idempotencyKey(), RequestContext.IDEMPOTENCY_KEY);
    }
    TaskStore.Submitted submitted = submission.submit(request.owner(), fields);
    Task task = submitted.task();
    request.about(named(task));
    if (!submitted.isNew()) {
      return shown(task);
    }
    dispatcher.changed(task);
    return Reply.created("/api/v1/tasks/" + task.id(), Views.task(task, Optional.empty()))
        .with("ETag", "\"" + task.version() + "\"");
  }

  /** The owner of the listed tasks; empty for all, which administrators may see. */
  static String listed(RequestContext request) throws ServiceException {
    String user = request.query().getOrDefault("user", request.owner());
    if (user.equals(request.owner())) {
      return user;
    }
    if (!isAdmin(request)) {
      throw Fault.FORBIDDEN.of("tasks of other users are shown to administrators only");
    }
    return user.equals("*") ? "" : user;
  }

  private static boolean isAdmin(RequestContext request) {
    return request.user().scopes().contains(Scope.ADMIN);
  }

  /** The owner as whom a user accesses a task; an administrator acts as the task's owner. */
  private String owner(RequestContext request) throws ServiceException {
    String own = request.owner();
    return isAdmin(request) ? store.lists().owner(id(request)).orElse(own) : own;
  }

  /** The id of a task; its first eight digits are enough. */
  private String id(RequestContext request) throws ServiceException {
    return store.lists().complete(isAdmin(request) ? "" : request.owner(), request.path("task"));
  }

  private static TaskFilter filter(RequestContext request) throws ServiceException {
    String state = request.query().getOrDefault("state", "");
    Optional<TaskState> known =
        Arrays.stream(TaskState.values())
            .filter(one -> one.name().equalsIgnoreCase(state))
            .findFirst();
    if (!state.isEmpty() && known.isEmpty()) {
      throw Fault.INVALID.of(
          "there is no state '%s'; choose one of %s"
              .formatted(
                  state,
                  Arrays.stream(TaskState.values())
                      .map(one -> one.name().toLowerCase(Locale.ROOT))
                      .collect(Collectors.joining(", "))));
    }
    return new TaskFilter(listed(request), known, request.query().getOrDefault("text", ""));
  }

  private Reply count(RequestContext request) throws ServiceException {
    Map<TaskState, Long> counts = store.lists().count(filter(request));
    Map<String, Object> view = new LinkedHashMap<>();
    for (TaskState state : TaskState.values()) {
      view.put(state.name().toLowerCase(Locale.ROOT), counts.getOrDefault(state, 0L));
    }
    return Reply.json(view);
  }

  private Reply rates(RequestContext request) throws ServiceException {
    Task task = store.get(owner(request), id(request));
    Rates.Points points = live.rates().of(task.id());
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("begin", Views.time(points.beginMillis()));
    view.put("interval_ms", points.widthMillis());
    view.put("rates", points.points());
    return Reply.json(view);
  }

  private Reply files(RequestContext request) throws ServiceException {
    Task task = store.get(owner(request), id(request));
    List<Map<String, Object>> known = new ArrayList<>();
    for (TaskEvent problem : store.problems(task.id(), MOST_PROBLEMS)) {
      known.add(Map.of("state", "failed", "name", problem.detail()));
    }
    for (ArrivedFiles.Arrived file : live.arrived().of(task.id())) {
      known.add(Map.of("state", "arrived", "name", file.name(), "size", file.bytes()));
    }
    String text = request.query().getOrDefault("text", "").toLowerCase(Locale.ROOT);
    List<Map<String, Object>> found =
        known.stream()
            .filter(file -> ((String) file.get("name")).toLowerCase(Locale.ROOT).contains(text))
            .toList();
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("known", (long) known.size());
    view.put("found", (long) found.size());
    view.put("files", found.stream().limit(request.number("limit", 1, 1000, 200)).toList());
    return Reply.json(view);
  }

  private Reply list(RequestContext request) throws ServiceException {
    Cursor cursor = Cursor.of(request, Cursor.NEWEST);
    int most = (int) request.number("limit", 1, 1000, 50);
    List<Task> tasks = store.lists().list(filter(request), cursor.number(), cursor.id(), most + 1);
    List<Task> page = tasks.subList(0, Math.min(most, tasks.size()));
    Map<String, Object> reply = new LinkedHashMap<>();
    reply.put(
        "tasks", page.stream().map(task -> Views.task(task, live.progress(task.id()))).toList());
    if (tasks.size() > most) {
      Task last = page.get(most - 1);
      reply.put("next_cursor", new Cursor(last.created(), last.id()).text());
    }
    return Reply.json(reply);
  }

  private Reply show(RequestContext request) throws ServiceException, InterruptedException {
    String owner = owner(request);
    String id = id(request);
    long seconds = request.number("wait", 0, MOST_WAIT_SECONDS, 0);
    if (seconds == 0) {
      return shown(store.get(owner, id));
    }
    if (!waits.tryAcquire()) {
      throw new ServiceException(
          Fault.TOO_MANY,
          "%d requests already wait for tasks; retry in a second".formatted(MOST_WAITS),
          Map.of("retry_after", 1L));
    }
    try {
      return await(owner, id, seconds);
    } finally {
      waits.release();
    }
  }

  private Reply await(String owner, String id, long seconds)
      throws ServiceException, InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
    try (Live.Subscription subscription = live.subscribe(owner)) {
      Task task = store.get(owner, id);
      long left = end - System.nanoTime();
      while (!task.state().hasEnded() && left > 0) {
        boolean isOfThis =
            subscription.await(Duration.ofNanos(left).toMillis() + 1).stream()
                .anyMatch(news -> news.task().id().equals(id));
        if (isOfThis) {
          task = store.get(owner, id);
        }
        left = end - System.nanoTime();
      }
      return shown(task);
    }
  }

  private Reply modify(RequestContext request) throws ServiceException {
    String owner = owner(request);
    String id = id(request);
    long version = request.version();
    Fields fields = request.fields();
    Task task =
        store.modify(
            owner,
            id,
            before -> {
              Task.Wish wish = Submission.wish(fields, before, clock.millis());
              fields.finish();
              return wish;
            },
            version,
            clock.millis());
    request.about(named(task));
    dispatcher.changed(task);
    return shown(task);
  }

  private Reply events(RequestContext request) throws ServiceException {
    Task task = store.get(owner(request), id(request));
    int most = (int) request.number("limit", 1, 1000, 100);
    Cursor cursor = Cursor.of(request, Cursor.FIRST);
    List<TaskEvent> events = store.events(task.id(), cursor.number(), most + 1);
    List<TaskEvent> page = events.subList(0, Math.min(most, events.size()));
    Map<String, Object> reply = new LinkedHashMap<>();
    reply.put("events", page.stream().map(Views::event).toList());
    if (events.size() > most) {
      reply.put("next_cursor", new Cursor(page.get(most - 1).number(), "").text());
    }
    return Reply.json(reply);
  }
}
