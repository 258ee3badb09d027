package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.json.Json;
import io.fdt.json.JsonException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A client of the REST interface, as a test writes it down. */
final class Rest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;
  private final String token;

  Rest(String url, String token) {
    this.url = url;
    this.token = token;
  }

  /** An answer. */
  record Answer(int status, String text, HttpResponse<String> response) {
    Map<String, Object> json() throws JsonException {
      return Json.parseObject(text);
    }

    Answer expect(int expected) {
      assertThat(status).as(text).isEqualTo(expected);
      return this;
    }

    String etag() {
      return response.headers().firstValue("ETag").orElseThrow();
    }
  }

  Answer get(String path) throws IOException, InterruptedException {
    return send("GET", path, null);
  }

  Answer post(String path, Object body) throws IOException, InterruptedException {
    return send("POST", path, body);
  }

  /** Sends a request with further headers: name, value, name, value... */
  Answer send(String method, String path, Object body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path.replaceFirst("^/", "")))
            .timeout(DEADLINE)
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(
                        body instanceof String text ? text : Json.text(body)));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<String> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return new Answer(response.statusCode(), response.body(), response);
  }

  /** Waits until a task has ended. */
  Map<String, Object> end(Object task) throws Exception {
    Map<String, Object> shown = get("/api/v1/tasks/" + task + "?wait=60").expect(200).json();
    assertThat((String) shown.get("state"))
        .as("%s", shown)
        .isIn("succeeded", "failed", "cancelled");
    return shown;
  }

  Map<String, Object> task(Object task) throws Exception {
    return get("/api/v1/tasks/" + task).expect(200).json();
  }

  /** The codes of all events of a task. */
  List<String> events(Object task) throws Exception {
    Map<String, Object> page =
        get("/api/v1/tasks/" + task + "/events?limit=1000").expect(200).json();
    return ((List<?>) page.get("events"))
        .stream().map(event -> (String) ((Map<?, ?>) event).get("code")).toList();
  }
}
