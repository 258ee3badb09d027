package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Answers have the shapes that the description gives them: no field more, none less. */
@Timeout(120)
class DescriptionTest {
  @TempDir private Path root;
  private Map<?, ?> paths;
  private Map<?, ?> shapes;
  private Rest rest;
  private final List<String> differences = new ArrayList<>();

  @Test
  void answersAreAsDescribed() throws Exception {
    Site site = new Site(root);
    try {
      site.write("run/file", 1000, 1);
      TransferService service = site.service();
      rest = site.rest(service.url());
      Map<String, Object> api = rest.get("/api/openapi.json").json();
      paths = (Map<?, ?>) api.get("paths");
      shapes = (Map<?, ?>) ((Map<?, ?>) api.get("components")).get("schemas");

      look("POST", "/api/v1/endpoints", "", Site.endpoint("a", site.source()));
      look("POST", "/api/v1/endpoints", "", Site.endpoint("b", site.destination()));
      Map<String, Object> request = Site.transfer();
      request.put(
          "options", Map.of("recursive", true, "filters", List.of("- *.tmp"), "max_age", "7d"));
      Object task = look("POST", "/api/v1/tasks", "", request).get("task_id");
      rest.end(task);
      String one = "/api/v1/tasks/" + task;
      look("GET", "/api/v1/tasks/{task}", one, null);
      look("GET", "/api/v1/tasks/{task}/events", one + "/events", null);
      look("GET", "/api/v1/tasks/{task}/rates", one + "/rates", null);
      look("GET", "/api/v1/tasks/{task}/files", one + "/files", null);
      look(
          "POST",
          "/api/v1/tasks",
          "",
          Map.of(
              "source_endpoint",
              "a",
              "source_paths",
              List.of("/data/nothing"),
              "destination_endpoint",
              "b",
              "destination_path",
              "/inc"));
      rest.end(
          ((Map<?, ?>) ((List<?>) rest.get("/api/v1/tasks").json().get("tasks")).get(0))
              .get("task_id"));
      Map<String, Object> failed = rest.get("/api/v1/tasks?limit=1").json();
      Object bad = ((Map<?, ?>) ((List<?>) failed.get("tasks")).get(0)).get("task_id");
      assertThat(
              look("GET", "/api/v1/tasks/{task}/events", "/api/v1/tasks/" + bad + "/events", null)
                  .toString())
          .contains("cause=not_found", "advice=Check the path");
      look("GET", "/api/v1/tasks", "/api/v1/tasks?limit=1", null);
      look("GET", "/api/v1/counts", "/api/v1/counts?user=*", null);
      look("GET", "/api/v1/endpoints", "", null);
      look("GET", "/api/v1/endpoints/{endpoint}", "/api/v1/endpoints/a", null);
      look("POST", "/api/v1/endpoints/{endpoint}/check", "/api/v1/endpoints/a/check", null);
      look("GET", "/api/v1/endpoints/{endpoint}/files", "/api/v1/endpoints/a/files?limit=1", null);
      look(
          "POST",
          "/api/v1/endpoints/{endpoint}/directories",
          "/api/v1/endpoints/b/directories",
          Map.of("path", "/inc/d"));
      look(
          "POST",
          "/api/v1/endpoints/{endpoint}/renames",
          "/api/v1/endpoints/b/renames",
          Map.of("from", "/inc/d", "to", "/inc/e"));
      look(
          "POST",
          "/api/v1/timers",
          "",
          Map.of("name", "t", "interval", 60L, "task", request, "start", "2098-01-01T00:00:00Z"));
      look("POST", "/api/v1/timers/{timer}/pause", "/api/v1/timers/t/pause", null);
      look("POST", "/api/v1/timers/{timer}/resume", "/api/v1/timers/t/resume", null);
      look("GET", "/api/v1/timers", "", null);
      look("POST", "/api/v1/webhooks", "", Map.of("url", "http://127.0.0.1:9/x"));
      look("GET", "/api/v1/webhooks", "", null);
      look("POST", "/api/v1/bookmarks", "", Map.of("name", "m", "endpoint", "a"));
      look("GET", "/api/v1/bookmarks", "", null);
      look("GET", "/api/v1/emails", "", null);
      look("POST", "/api/v1/links", "", null);
      look("POST", "/api/v1/tokens", "", Map.of("label", "l", "role", "reader", "user", "rita"));
      look("GET", "/api/v1/tokens", "", null);
      look("GET", "/api/v1/session", "", null);
      look("PUT", "/api/v1/users/{user}", "/api/v1/users/rita", Map.of("role", "reader"));
      look("GET", "/api/v1/users", "", null);
      assertThat(look("GET", "/api/v1/audit", "/api/v1/audit?limit=1000", null).toString())
          .contains("change=added endpoint a", "change=made a directory at b:/inc/d")
          .doesNotContain("change=POST", "change=PUT", "change=PATCH", "change=DELETE");
      assertThat(differences).isEmpty();
    } finally {
      site.close();
    }
  }

  /** Asks, and compares the answer with what is described for the path. */
  private Map<String, Object> look(String method, String template, String path, Object body)
      throws Exception {
    Rest.Answer answer = rest.send(method, path.isEmpty() ? template : path, body);
    assertThat(answer.status()).as("%s %s: %s", method, template, answer.text()).isIn(200, 201);
    Map<?, ?> operation =
        (Map<?, ?>)
            ((Map<?, ?>) paths.get(template)).get(method.toLowerCase(java.util.Locale.ROOT));
    Map<?, ?> described =
        (Map<?, ?>) ((Map<?, ?>) operation.get("responses")).get(Integer.toString(answer.status()));
    Object schema =
        ((Map<?, ?>) ((Map<?, ?>) described.get("content")).get("application/json")).get("schema");
    assertThat(((Map<?, ?>) schema).get("$ref")).as(template).isNotNull();
    compare(method + " " + template, (Map<?, ?>) schema, answer.json());
    return answer.json();
  }

  private void compare(String where, Map<?, ?> given, Object value) {
    Map<?, ?> schema = given;
    if (schema.get("$ref") instanceof String name) {
      schema = (Map<?, ?>) shapes.get(name.substring(name.lastIndexOf('/') + 1));
    }
    String types = schema.get("type").toString();
    boolean fits =
        value == null
            ? types.contains("null")
            : value instanceof String
                ? types.contains("string")
                : value instanceof Long
                    ? types.equals("integer")
                    : value instanceof Boolean
                        ? types.equals("boolean")
                        : value instanceof List ? types.equals("array") : types.equals("object");
    if (!fits) {
      differences.add(where + ": " + value + " is no " + types);
    } else if (value instanceof List<?> list) {
      for (Object element : list) {
        compare(where + "[]", (Map<?, ?>) schema.get("items"), element);
      }
    } else if (value instanceof Map<?, ?> map
        && schema.get("properties") instanceof Map<?, ?> fields) {
      Map<Object, Object> unknown = new LinkedHashMap<>(map);
      unknown.keySet().removeAll(fields.keySet());
      unknown
          .keySet()
          .forEach(name -> differences.add(where + ": '" + name + "' is not described"));
      if (schema.get("required") instanceof List<?> required
          && !map.keySet().containsAll(required)) {
        differences.add(where + ": lacks some of " + required);
      }
      map.forEach(
          (name, field) -> {
            if (fields.get(name) instanceof Map<?, ?> known) {
              compare(where + "." + name, known, field);
            }
          });
    } else if (value instanceof String text && "date-time".equals(schema.get("format"))) {
      assertThat(Instant.parse(text)).as(where).isNotNull();
    }
  }
}
