package io.fdt.service.web.routes;

import io.fdt.service.task.TaskOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The shapes of answers, for the description of the interface. A field is written as {@code NAME
 * TYPE}, with a leading dash if optional, and a trailing question mark if nullable. A type is one
 * of JSON Schema, {@code time}, the name of a shape, or one of these with {@code []}. Pure.
 */
final class Schemas {
  /** An answer of any shape. */
  static final String ANY = "object";

  private static final Map<String, List<String>> SHAPES = shapes();

  /** The shapes of answers by the id of their operation; a dash for an answer without a body. */
  private static final Map<String, String> ANSWERS =
      pairs(
          """
          postSession SignedIn, getSession SignedIn, deleteSession -, postLinks Path,
          getHealthz Health, getTokens Tokens, postTokens Token, deleteTokensToken -,
          getUsers Users, putUsersUser User, getAudit AuditPage, getEndpoints Endpoints,
          postEndpoints Endpoint, getEndpointsEndpoint Endpoint,
          patchEndpointsEndpoint Endpoint, deleteEndpointsEndpoint -,
          postEndpointsEndpointCheck Check, getEndpointsEndpointFiles FilePage,
          getEndpointsEndpointFile File, getEndpointsEndpointSize Size, postPreviews Preview,
          postEndpointsEndpointDirectories Path,
          postEndpointsEndpointRenames Path, postTasks Task, getTasks TaskPage,
          getCounts Counts, getTasksTask Task, patchTasksTask Task,
          getTasksTaskEvents EventPage, getTasksTaskRates Rates, getTasksTaskFiles TaskFiles, postTasksTaskCancel Task,
          postTasksTaskPause Task, postTasksTaskResume Task, postTimers Timer,
          getTimers Timers, getTimersTimer Timer, deleteTimersTimer -,
          postTimersTimerPause Timer, postTimersTimerResume Timer, postBookmarks Bookmark,
          getBookmarks Bookmarks, getBookmarksBookmark Bookmark, deleteBookmarksBookmark -,
          postEmails Email, getEmails Emails, postEmailsEmailConfirm Email,
          deleteEmailsEmail -, postWebhooks Webhook, getWebhooks Webhooks,
          deleteWebhooksWebhook -
          """);

  private Schemas() {}

  private static Map<String, String> pairs(String table) {
    Map<String, String> pairs = new HashMap<>();
    for (String pair : table.strip().split(",\\s+")) {
      String[] words = pair.split(" ", 2);
      pairs.put(words[0], words[1].replace("-", ""));
    }
    return pairs;
  }

  private static Map<String, List<String>> shapes() {
    Map<String, List<String>> shapes = new LinkedHashMap<>();
    String table =
        """
        Problem: type string, title string, status integer, detail string
        Task: task_id string, user string, kind string, state string, -intent string, \
            label string, source_endpoint string, source_paths string[], \
            -destination_endpoint string, -destination_path string, options CopyOptions, \
            priority integer, deadline time?, limit integer, submission_id string, \
            created time?, started time?, ended time?, retry_at time?, attempts integer, \
            faults integer, message string, bytes_done integer, bytes_total integer, \
            files_done integer, files_failed integer, files_deleted integer, \
            files_total integer, -bytes_per_second integer, -streams integer, -stalled_ms integer, \
            version integer
        TaskPage: tasks Task[], -next_cursor string
        Counts: queued integer, active integer, retrying integer, paused integer, \
            succeeded integer, failed integer, cancelled integer
        Event: number integer, time time?, code string, is_error boolean, detail string, \
            -cause string, -advice string
        EventPage: events Event[], -next_cursor string
        TaskFile: state string, name string, -size integer
        TaskFiles: known integer, found integer, files TaskFile[]
        Rates: begin time?, interval_ms integer, rates integer[]
        Export: path string, writable boolean
        Endpoint: endpoint_id string, name string, address string, fingerprint string, \
            token_from string, default_path string, max_tasks integer, state string, \
            read_only boolean, checked time?, -problem string, version integer, -exports Export[]
        Endpoints: endpoints Endpoint[]
        Check: software string, round_trip_us integer, exports Export[]
        File: name string, -name_bytes string, kind string, size integer, mode string, \
            modified time
        FilePage: path string, listing string, from integer, total integer, left_out integer, \
            bytes integer, files File[], -next_cursor string
        Size: files integer, bytes integer, complete boolean
        Preview: files_due integer, files_replaced integer, bytes_due integer, \
            files_unchanged integer, \
            directories integer, deleted integer, names string[], deleted_names string[], \
            problems string[]
        Health: status string
        Path: path string
        Timer: name string, interval integer, next time?, end time?, -window string, \
            runs integer, last_task string, message string, paused boolean, task object
        Timers: timers Timer[]
        Bookmark: name string, endpoint string, endpoint_id string, path string
        Bookmarks: bookmarks Bookmark[]
        Email: email_id string, address string, notify string[], confirmed boolean
        Emails: emails Email[]
        Webhook: webhook_id string, url string, notify string[], -secret string
        Webhooks: webhooks Webhook[]
        SignedIn: user string, scopes string[], -tasks_running integer
        Token: token_id string, user string, label string, scopes string[], created time?, \
            expires time?, -parent string, -token string
        Tokens: tokens Token[]
        User: user string, role string, operator boolean, issuer string, created time?
        Users: users User[]
        AuditEntry: time time?, user string, address string, change string, \
            action string, target string, status integer, detail string, times integer
        AuditPage: entries AuditEntry[], -next_cursor string
        """;
    for (String line : table.strip().split("\n")) {
      String[] parts = line.split(": ", 2);
      shapes.put(parts[0], List.of(parts[1].split(",\\s+")));
    }
    shapes.put("CopyOptions", TaskOptions.FIELDS);
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

  /** The schema of a type of a field. */
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
