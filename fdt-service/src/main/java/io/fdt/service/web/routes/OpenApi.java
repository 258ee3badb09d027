package io.fdt.service.web.routes;

import io.fdt.service.web.http.Route;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Makes the OpenAPI 3.1 description of routes. Pure. */
public final class OpenApi {
  private OpenApi() {}

  public static Map<String, Object> describe(List<Route> routes) {
    Map<String, Map<String, Object>> paths = new LinkedHashMap<>();
    for (Route route : routes) {
      paths
          .computeIfAbsent(route.template(), path -> new LinkedHashMap<>())
          .put(route.method().toLowerCase(Locale.ROOT), operation(route));
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("openapi", "3.1.0");
    all.put(
        "info",
        Map.of(
            "title",
            "FDT transfer service",
            "version",
            "1",
            "license",
            Map.of("name", "Apache-2.0")));
    all.put("paths", paths);
    all.put(
        "components",
        Map.of(
            "securitySchemes",
            Map.of("token", Map.of("type", "http", "scheme", "bearer")),
            "schemas",
            Schemas.all()));
    return all;
  }

  private static Map<String, Object> operation(Route route) {
    Map<String, Object> operation = new LinkedHashMap<>();
    operation.put("operationId", operationId(route));
    operation.put("summary", route.summary());
    if (route.scope() != null) {
      operation.put("security", List.of(Map.of("token", List.of())));
      operation.put("description", "Needs the scope " + route.scope().text() + ".");
    }
    List<Object> parameters = new ArrayList<>();
    for (String name : route.variables()) {
      parameters.add(
          Map.of("name", name, "in", "path", "required", true, "schema", Map.of("type", "string")));
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    for (Route.Parameter parameter : route.parameters()) {
      if (parameter.equals(Route.OTHERS)) {
        continue;
      }
      if (parameter.place() == Route.Place.BODY) {
        Map<String, Object> field = new LinkedHashMap<>(schema(parameter.type()));
        field.put("description", parameter.description());
        fields.put(parameter.name(), field);
        if (parameter.isRequired()) {
          required.add(parameter.name());
        }
      } else {
        parameters.add(
            Map.of(
                "name",
                parameter.name(),
                "in",
                parameter.place().name().toLowerCase(Locale.ROOT),
                "description",
                parameter.description(),
                "schema",
                schema(parameter.type())));
      }
    }
    if (!parameters.isEmpty()) {
      operation.put("parameters", parameters);
    }
    if (!fields.isEmpty()) {
      Map<String, Object> schema = new LinkedHashMap<>();
      schema.put("type", "object");
      schema.put("additionalProperties", false);
      schema.put("properties", fields);
      schema.put("required", required);
      operation.put(
          "requestBody",
          Map.of(
              "required", true, "content", Map.of("application/json", Map.of("schema", schema))));
    }
    Map<String, Object> responses = new LinkedHashMap<>();
    responses.putAll(answers(route, operationId(route)));
    responses.put(
        "default",
        Map.of(
            "description",
            "Refused.",
            "content",
            Map.of(
                "application/problem+json",
                Map.of("schema", Map.of("$ref", "#/components/schemas/Problem")))));
    operation.put("responses", responses);
    return operation;
  }

  private static Map<String, Object> answers(Route route, String id) {
    String shape = Schemas.answer(id);
    if (shape.isEmpty()) {
      return Map.of("204", Map.of("description", "Done."));
    }
    String type =
        switch (id) {
          case "getLive" -> "text/event-stream";
          case "getMetrics" -> "text/plain";
          default -> "application/json";
        };
    Map<String, Object> schema =
        type.startsWith("text/") ? Map.of("type", "string") : Schemas.type(shape);
    Map<String, Object> answer =
        Map.of("description", "Done.", "content", Map.of(type, Map.of("schema", schema)));
    Map<String, Object> answers = new LinkedHashMap<>();
    answers.put("200", answer);
    if (route.method().equals("POST")) {
      answers.put("201", answer); // something new was made
    }
    return answers;
  }

  /** The id of an operation, such as getTasksTask or postTasksTaskCancel. */
  private static String operationId(Route route) {
    StringBuilder id = new StringBuilder(route.method().toLowerCase(Locale.ROOT));
    for (String part : Route.parts(route.template())) {
      String word = part.replaceAll("[^a-z0-9]", "");
      if (!word.isEmpty() && !word.equals("api") && !word.equals("v1")) {
        id.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
      }
    }
    return id.toString();
  }

  private static Map<String, Object> schema(String type) {
    return type.equals("strings") ? Schemas.type("string[]") : Schemas.type(type);
  }
}
