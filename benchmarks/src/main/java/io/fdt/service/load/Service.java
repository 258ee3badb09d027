package io.fdt.service.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A transfer service in its own process, and its REST client. Any thread. */
final class Service implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration DEADLINE = Duration.ofMinutes(2);

  private final Process process;
  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;
  private final String token;

  private Service(Process process, String url, String token) {
    this.process = process;
    this.url = url;
    this.token = token;
  }

  /** Starts a service with its default options, except for the limit of requests. */
  static Service start(Path jar, Path directory, String database)
      throws IOException, InterruptedException {
    Path output = directory.resolve("service.out");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-jar",
                jar.toString(),
                "--port",
                "0",
                "--requests-per-second",
                "1000000",
                "--dial-to",
                "127.0.0.0/8"));
    if (!database.isEmpty()) {
      command.addAll(List.of("--database", database));
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    Path home = directory.resolve("home");
    builder.environment().put("FDT_HOME", home.toString());
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    long end = System.nanoTime() + DEADLINE.toNanos();
    while (!Files.readString(output).contains("READY url=")) {
      if (!process.isAlive() || System.nanoTime() > end) {
        process.destroyForcibly();
        throw new IOException("the service does not start: " + Files.readString(output));
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    JsonNode contact = JSON.readTree(home.resolve("service/service.json"));
    return new Service(process, contact.get("url").asString(), contact.get("token").asString());
  }

  /** Creates a token for another user. */
  String tokenOf(String user) throws IOException, InterruptedException {
    return post(token, "tokens", Map.of("label", "load", "user", user, "role", "user"))
        .get("token")
        .asString();
  }

  String ownToken() {
    return token;
  }

  JsonNode get(String as, String path) throws IOException, InterruptedException {
    return send(as, "GET", path, null);
  }

  JsonNode post(String as, String path, Object body) throws IOException, InterruptedException {
    return send(as, "POST", path, body);
  }

  private JsonNode send(String as, String method, String path, Object body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "api/v1/" + path))
            .timeout(DEADLINE)
            .header("Authorization", "Bearer " + as)
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() >= 300) {
      throw new IOException(method + " " + path + ": " + response.body());
    }
    return JSON.readTree(response.body());
  }

  /** Current and peak resident memory, in MiB. */
  String memory() throws IOException {
    String status = Files.readString(Path.of("/proc/" + process.pid() + "/status"));
    return "%d MiB, at most %d MiB"
        .formatted(mebibytes(status, "VmRSS"), mebibytes(status, "VmHWM"));
  }

  private static long mebibytes(String status, String name) {
    return Long.parseLong(status.replaceAll("(?s).*" + name + ":\\s*([0-9]+) kB.*", "$1")) >> 10;
  }

  /** Processor time since its start. */
  Duration processorTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
