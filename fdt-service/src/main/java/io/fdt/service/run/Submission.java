package io.fdt.service.run;

import io.fdt.client.RequiredStorage;
import io.fdt.core.model.BytePath;
import io.fdt.json.Json;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.TaskStore;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Turns the fields of a request into a stored task. Any thread. */
public final class Submission {
  private static final Duration USUAL_DEADLINE = Duration.ofDays(3);
  private static final int MOST_PATHS = 1000;
  private static final int MOST_PATH = 4096;

  private final TaskStore store;
  private final Endpoints endpoints;
  private final Clock clock;

  public Submission(TaskStore store, Endpoints endpoints, Clock clock) {
    this.store = store;
    this.endpoints = endpoints;
    this.clock = clock;
  }

  /** Stores the task that these fields describe, for this user. */
  public TaskStore.Submitted submit(String owner, Fields fields) throws ServiceException {
    Task task = make(owner, fields);
    return store.submit(task, same(task, fields.map("options")));
  }

  /** The task that {@link #submit} would store; with the same refusals. */
  public Task make(String owner, Fields fields) throws ServiceException {
    long now = clock.millis();
    TaskKind kind =
        TaskKind.valueOf(
            fields
                .word("kind", List.of("transfer", "delete"), "transfer")
                .toUpperCase(Locale.ROOT));
    String submissionId = fields.optionalText("submission_id", 100).orElseGet(Secrets::id);
    Endpoint source = endpoints.find(owner, fields.text("source_endpoint", 100));
    List<String> paths = new ArrayList<>();
    for (String path : fields.texts("source_paths", MOST_PATHS, MOST_PATH)) {
      if (kind == TaskKind.DELETE && path.matches("(~|\\.)?/*")) {
        throw Fault.INVALID.of(
            "'" + path + "' would remove the whole default path: name what to remove");
      }
      paths.add(absolute(source, path));
    }
    TaskOptions options = TaskOptions.of(fields.object("options"), Instant.ofEpochMilli(now));
    String destinationId = "";
    String destinationName = "";
    String destinationPath = "";
    if (kind == TaskKind.TRANSFER) {
      Endpoint destination = endpoints.find(owner, fields.text("destination_endpoint", 100));
      destinationId = destination.id();
      destinationName = destination.name();
      destinationPath = absolute(destination, fields.text("destination_path", MOST_PATH));
    } else {
      refuseRoots(paths);
    }
    Task.Wish wish = wish(fields, new Task.Wish("", 0, now + USUAL_DEADLINE.toMillis(), 0), now);
    fields.finish();
    if (options.spec().delete() && !options.spec().recursive()) {
      throw Fault.INVALID.of("'delete' needs 'recursive'");
    }
    return new Task(
        Secrets.id(),
        owner,
        submissionId,
        new Task.Work(
            kind,
            source.id(),
            source.name(),
            destinationId,
            destinationName,
            paths,
            destinationPath,
            options),
        wish,
        Task.Run.NEW,
        Counts.NONE,
        now,
        0,
        0,
        0,
        0);
  }

  /** The text that is equal for equal submissions: all fields except times. */
  private static String same(Task task, Map<String, Object> options) {
    return Json.text(
        List.of(
            task.work().kind().name(),
            task.work().source(),
            task.work().destination(),
            task.work().paths(),
            task.work().destinationPath(),
            TaskOptions.sameness(options, task.work().options()),
            task.wish().label()));
  }

  private static void refuseRoots(List<String> paths) throws ServiceException {
    for (String path : paths) {
      if (path.replaceAll("[/.]", "").isEmpty()) {
        throw Fault.INVALID.of("the root of an endpoint cannot be removed");
      }
    }
  }

  public static String absolute(Endpoint endpoint, String path) throws ServiceException {
    List<String> names = Arrays.asList(path.split("/", -1));
    if (names.contains("..") || (names.contains(".") && names.size() > 1)) {
      throw Fault.INVALID.of("'" + path + "' has '.' or '..' in it: write it without");
    }
    if (RequiredStorage.isByScheme(BytePath.of(path))) {
      throw Fault.INVALID.of(
          "'%s' is in no directory of an endpoint: export it by a server, fdt serve --export NAME=%s, and name that"
              .formatted(path, path));
    }
    String relative =
        path.equals("~") || path.equals(".")
            ? ""
            : path.startsWith("~/") ? path.substring(2) : path;
    if (relative.startsWith("/")) {
      return relative;
    }
    String base = endpoint.defaultPath();
    return relative.isEmpty() ? base : base + (base.endsWith("/") ? "" : "/") + relative;
  }

  /** The changeable part of a task, with the changes of the fields. */
  public static Task.Wish wish(Fields fields, Task.Wish before, long now) throws ServiceException {
    long deadline = before.deadline();
    Optional<String> text = fields.optionalText("deadline", 40);
    if (text.isPresent()) {
      try {
        deadline = Instant.parse(text.get()).toEpochMilli();
      } catch (DateTimeException | ArithmeticException e) {
        throw Fault.INVALID.of("'deadline' must be a time such as 2027-01-31T12:00:00Z");
      }
      if (deadline <= now) {
        throw Fault.INVALID.of("'deadline' is in the past");
      }
    }
    return new Task.Wish(
        fields.optionalText("label", 200).orElse(before.label()),
        (int) fields.number("priority", -100, 100, before.priority()),
        deadline,
        fields.number("limit", 0, Long.MAX_VALUE / 16, before.bytesPerSecond()));
  }
}
