package io.fdt.service.web.routes;

import io.fdt.client.RemoteFile;
import io.fdt.core.model.PathText;
import io.fdt.service.run.Live;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.access.AccessStore;
import io.fdt.service.store.access.Scope;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Intent;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskEvent;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** JSON views of objects, without secrets. Pure. */
final class Views {
  private Views() {}

  /** A task, with its current progress while it runs. */
  static Map<String, Object> task(Task task, Optional<Live.Progress> progress) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("task_id", task.id());
    view.put("user", task.owner());
    view.put("kind", lower(task.work().kind()));
    view.put("state", lower(task.state()));
    if (task.run().intent() != Intent.RUN) {
      view.put("intent", lower(task.run().intent()));
    }
    view.put("label", task.wish().label());
    view.put("source_endpoint", task.work().sourceName());
    view.put("source_paths", task.work().paths());
    if (!task.work().destination().isEmpty()) {
      view.put("destination_endpoint", task.work().destinationName());
      view.put("destination_path", task.work().destinationPath());
    }
    view.put("options", task.work().options().shown());
    view.put("priority", (long) task.wish().priority());
    view.put("deadline", time(task.wish().deadline()));
    view.put("limit", task.wish().bytesPerSecond());
    view.put("submission_id", task.submissionId());
    view.put("created", time(task.created()));
    view.put("started", time(task.started()));
    view.put("ended", time(task.ended()));
    view.put("retry_at", time(task.run().notBefore()));
    view.put("attempts", (long) task.run().attempts());
    view.put("faults", (long) task.run().faults());
    view.put("message", task.run().message());
    Counts counts = progress.map(Live.Progress::counts).orElse(task.counts());
    view.put("bytes_done", counts.bytesDone());
    view.put("bytes_total", counts.bytesTotal());
    view.put("files_done", counts.filesDone());
    view.put("files_failed", counts.filesFailed());
    view.put("files_deleted", counts.filesDeleted());
    view.put("files_total", counts.filesTotal());
    progress.ifPresent(
        now -> {
          view.put("bytes_per_second", now.bytesPerSecond());
          view.put("streams", (long) now.streams());
          view.put("stalled_ms", now.stalledMillis());
        });
    view.put("version", task.version());
    return view;
  }

  static Map<String, Object> event(TaskEvent event) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("number", event.number());
    view.put("time", time(event.at()));
    view.put("code", lower(event.code()));
    view.put("is_error", event.isError());
    view.put("detail", event.detail());
    if (!event.cause().isEmpty()) {
      view.put("cause", event.cause().toLowerCase(Locale.ROOT));
      view.put("advice", ErrorAdvice.of(event.cause()));
    }
    return view;
  }

  /**
   * An endpoint.
   *
   * @param tokenFrom the origin of its token
   */
  static Map<String, Object> endpoint(Endpoint endpoint, String tokenFrom) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("endpoint_id", endpoint.id());
    view.put("name", endpoint.name());
    view.put("address", endpoint.address());
    view.put("fingerprint", endpoint.fingerprint());
    view.put("token_from", tokenFrom);
    view.put("default_path", endpoint.defaultPath());
    view.put("max_tasks", (long) endpoint.maxTasks());
    view.put("state", state(endpoint));
    view.put("read_only", endpoint.health().isReadOnly());
    view.put("checked", time(endpoint.health().checked()));
    if (!endpoint.health().problem().isEmpty()) {
      view.put("problem", endpoint.health().problem());
    }
    view.put("version", endpoint.version());
    return view;
  }

  private static String state(Endpoint endpoint) {
    if (!endpoint.health().problem().isEmpty()) {
      return endpoint.health().isRefused() ? "refused" : "unreachable";
    }
    return endpoint.isLocal() || endpoint.health().checked() > 0 ? "reachable" : "unknown";
  }

  static Map<String, Object> token(AccessStore.Token token) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("token_id", token.id());
    view.put("user", token.owner());
    view.put("label", token.label());
    view.put("scopes", token.scopes().stream().map(Scope::text).sorted().toList());
    view.put("created", time(token.created()));
    view.put("expires", time(token.expires()));
    if (!token.parent().isEmpty()) {
      view.put("parent", token.parent());
    }
    return view;
  }

  /** A file. A name that is not UTF-8 is escaped, and added as bytes. */
  static Map<String, Object> file(RemoteFile file) {
    Map<String, Object> view = new LinkedHashMap<>();
    byte[] name = file.name().bytes();
    try {
      view.put(
          "name", StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(name)).toString());
    } catch (CharacterCodingException e) {
      view.put("name", PathText.escape(name));
      view.put("name_bytes", Base64.getEncoder().encodeToString(name));
    }
    view.put("kind", file.kind().map(Views::lower).orElse("other"));
    view.put("size", file.size());
    view.put("mode", Integer.toOctalString(file.mode() & 07777));
    view.put(
        "modified",
        Instant.ofEpochSecond(file.modified().seconds(), file.modified().nanos()).toString());
    return view;
  }

  /** A time as text; null for none. */
  static String time(long millis) {
    return millis == 0 ? null : Instant.ofEpochMilli(millis).toString();
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
