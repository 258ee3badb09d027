package io.fdt.service.web.routes;

import io.fdt.service.task.TaskOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The shapes of answers, for the description of the interface. A field is written as {@code NAME
 * TYPE}, with a dash before it when it can be missing, and a question mark after it when it can be
 * null. A type is one of JSON Schema, {@code time}, the name of a shape, or one of these with
 * {@code []}. Pure.
 */
final class Schemas {
  /** An answer of any shape. */
  static final String ANY = "object";

  private static final Map<String, List<String>> SHAPES = shapes();

  /** The shapes of answers by the id of their operation. */
  private static final Map<String, String> ANSWERS =
      Map.ofEntries(
          Map.entry("postSession", "SignedIn"),
          Map.entry("getSession", "SignedIn"),
          Map.entry("deleteSession", ""),
          Map.entry("postLinks", "Path"),
          Map.entry("getHealthz", "Health"),
          Map.entry("getTokens", "Tokens"),
          Map.entry("postTokens", "Token"),
          Map.entry("deleteTokensToken", ""),
          Map.entry("getUsers", "Users"),
          Map.entry("putUsersUser", "User"),
          Map.entry("getAudit", "AuditPage"),
          Map.entry("getEndpoints", "Endpoints"),
          Map.entry("postEndpoints", "Endpoint"),
          Map.entry("getEndpointsEndpoint", "Endpoint"),
          Map.entry("patchEndpointsEndpoint", "Endpoint"),
          Map.entry("deleteEndpointsEndpoint", ""),
          Map.entry("postEndpointsEndpointCheck", "Check"),
          Map.entry("getEndpointsEndpointFiles", "FilePage"),
          Map.entry("getEndpointsEndpointFile", "File"),
          Map.entry("postEndpointsEndpointDirectories", "Path"),
          Map.entry("postEndpointsEndpointRenames", "Path"),
          Map.entry("postTasks", "Task"),
          Map.entry("getTasks", "TaskPage"),
          Map.entry("getCounts", "Counts"),
          Map.entry("getTasksTask", "Task"),
          Map.entry("patchTasksTask", "Task"),
          Map.entry("getTasksTaskEvents", "EventPage"),
          Map.entry("getTasksTaskRates", "Rates"),
          Map.entry("postTasksTaskCancel", "Task"),
          Map.entry("postTasksTaskPause", "Task"),
          Map.entry("postTasksTaskResume", "Task"),
          Map.entry("postTimers", "Timer"),
          Map.entry("getTimers", "Timers"),
          Map.entry("getTimersTimer", "Timer"),
          Map.entry("deleteTimersTimer", ""),
          Map.entry("postTimersTimerPause", "Timer"),
          Map.entry("postTimersTimerResume", "Timer"),
          Map.entry("postBookmarks", "Bookmark"),
          Map.entry("getBookmarks", "Bookmarks"),
          Map.entry("getBookmarksBookmark", "Bookmark"),
          Map.entry("deleteBookmarksBookmark", ""),
          Map.entry("postEmails", "Email"),
          Map.entry("getEmails", "Emails"),
          Map.entry("postEmailsEmailConfirm", "Email"),
          Map.entry("deleteEmailsEmail", ""),
          Map.entry("postWebhooks", "Webhook"),
          Map.entry("getWebhooks", "Webhooks"),
          Map.entry("deleteWebhooksWebhook", ""));

  private Schemas() {}

  private static Map<String, List<String>> shapes() {
    Map<String, List<String>> shapes = new LinkedHashMap<>();
    shapes.put(
        "Problem", List.of("type string", "title string", "status integer", "detail string"));
    shapes.put(
        "Task",
        List.of(
            "task_id string",
            "user string",
            "kind string",
            "state string",
            "-intent string",
            "label string",
            "source_endpoint string",
            "source_paths string[]",
            "-destination_endpoint string",
            "-destination_path string",
            "options CopyOptions",
            "priority integer",
            "deadline time?",
            "limit integer",
            "submission_id string",
            "created time?",
            "started time?",
            "ended time?",
            "retry_at time?",
            "attempts integer",
            "faults integer",
            "message string",
            "bytes_done integer",
            "bytes_total integer",
            "files_done integer",
            "files_failed integer",
            "files_total integer",
            "-bytes_per_second integer",
            "-streams integer",
            "-stalled_ms integer",
            "version integer"));
    shapes.put("CopyOptions", TaskOptions.FIELDS);
    shapes.put("TaskPage", List.of("tasks Task[]", "-next_cursor string"));
    shapes.put(
        "Counts",
        List.of(
            "queued integer",
            "active integer",
            "retrying integer",
            "paused integer",
            "succeeded integer",
            "failed integer",
            "cancelled integer"));
    shapes.put(
        "Event",
        List.of(
            "number integer",
            "time time?",
            "code string",
            "is_error boolean",
            "detail string",
            "-cause string",
            "-advice string"));
    shapes.put("EventPage", List.of("events Event[]", "-next_cursor string"));
    shapes.put("Rates", List.of("begin time?", "interval_ms integer", "rates integer[]"));
    shapes.put("Export", List.of("path string", "writable boolean"));
    shapes.put(
        "Endpoint",
        List.of(
            "endpoint_id string",
            "name string",
            "address string",
            "fingerprint string",
            "has_token boolean",
            "default_path string",
            "max_tasks integer",
            "state string",
            "checked time?",
            "-problem string",
            "version integer",
            "-exports Export[]"));
    shapes.put("Endpoints", List.of("endpoints Endpoint[]"));
    shapes.put("Check", List.of("software string", "round_trip_us integer", "exports Export[]"));
    shapes.put(
        "File",
        List.of(
            "name string",
            "-name_bytes string",
            "kind string",
            "size integer",
            "mode string",
            "modified time"));
    shapes.put(
        "FilePage",
        List.of(
            "path string",
            "listing string",
            "from integer",
            "total integer",
            "files File[]",
            "-next_cursor string"));
    shapes.put("Health", List.of("status string"));
    shapes.put("Path", List.of("path string"));
    shapes.put(
        "Timer",
        List.of(
            "name string",
            "interval integer",
            "next time?",
            "end time?",
            "-window string",
            "runs integer",
            "last_task string",
            "message string",
            "paused boolean",
            "task object"));
    shapes.put("Timers", List.of("timers Timer[]"));
    shapes.put(
        "Bookmark", List.of("name string", "endpoint string", "endpoint_id string", "path string"));
    shapes.put("Bookmarks", List.of("bookmarks Bookmark[]"));
    shapes.put(
        "Email",
        List.of("email_id string", "address string", "notify string[]", "confirmed boolean"));
    shapes.put("Emails", List.of("emails Email[]"));
    shapes.put(
        "Webhook", List.of("webhook_id string", "url string", "notify string[]", "-secret string"));
    shapes.put("Webhooks", List.of("webhooks Webhook[]"));
    shapes.put("SignedIn", List.of("user string", "scopes string[]", "-tasks_running integer"));
    shapes.put(
        "Token",
        List.of(
            "token_id string",
            "user string",
            "label string",
            "scopes string[]",
            "created time?",
            "expires time?",
            "-parent string",
            "-token string"));
    shapes.put("Tokens", List.of("tokens Token[]"));
    shapes.put(
        "User",
        List.of(
            "user string", "role string", "operator boolean", "issuer string", "created time?"));
    shapes.put("Users", List.of("users User[]"));
    shapes.put(
        "AuditEntry",
        List.of(
            "time time?",
            "user string",
            "address string",
            "action string",
            "target string",
            "status integer",
            "detail string",
            "times integer"));
    shapes.put("AuditPage", List.of("entries AuditEntry[]", "-next_cursor string"));
    return shapes;
  }

  /** The shape of the answer of an operation; empty when it has no body. */
  static String answer(String operationId) {
    return ANSWERS.getOrDefault(operationId, ANY);
  }

  /** All shapes, as JSON Schema. */
  static Map<String, Object> all() {
    Map<String, Object> all = new LinkedHashMap<>();
    SHAPES.forEach((name, fields) -> all.put(name, shape(fields)));
    return all;
  }

  private static Map<String, Object> shape(List<String> fields) {
    Map<String, Object> properties = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    for (String field : fields) {
      String[] words = field.split(" ", 2);
      String name = words[0].replaceFirst("^-", "");
      properties.put(name, type(words[1]));
      if (name.length() == words[0].length()) {
        required.add(name);
      }
    }
    Map<String, Object> shape = new LinkedHashMap<>();
    shape.put("type", "object");
    shape.put("properties", properties);
    if (!required.isEmpty()) {
      shape.put("required", required);
    }
    return shape;
  }

  /** The schema of a type as fields name it. */
  static Map<String, Object> type(String type) {
    if (type.endsWith("[]")) {
      return Map.of("type", "array", "items", type(type.substring(0, type.length() - 2)));
    }
    if (type.equals("time")) {
      return Map.of("type", "string", "format", "date-time");
    }
    if (type.equals("time?")) {
      return Map.of("type", List.of("string", "null"), "format", "date-time");
    }
    return SHAPES.containsKey(type)
        ? Map.of("$ref", "#/components/schemas/" + type)
        : Map.of("type", type);
  }
}
