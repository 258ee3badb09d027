package io.fdt.cli.service;

import io.fdt.cli.run.CommandContext;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.json.Json;
import io.fdt.json.JsonException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The client of the transfer service of FDT_SERVICE_URL with the token in FDT_SERVICE_TOKEN, or
 * else of this user's on this machine, whose address is in a file of its home. Blocks.
 */
final class RestClient {
  private static final String URL = "FDT_SERVICE_URL";
  private static final String TOKEN = "FDT_SERVICE_TOKEN";

  /** Longer than the longest wait of a request at the service. */
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  /** Attempts of a user over the limit of requests, one per second. */
  private static final int MOST_TRIES = 30;

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
  private final String url;
  private final String token;

  private RestClient(String url, String token) {
    this.url = url.endsWith("/") ? url : url + "/";
    this.token = token;
  }

  /**
   * Finds the service.
   *
   * @throws FdtException UNREACHABLE when none was started
   */
  static RestClient open(CommandContext context) throws FdtException {
    String given = context.environment().getOrDefault(URL, "");
    if (!given.isEmpty()) {
      return new RestClient(given, context.environment().getOrDefault(TOKEN, ""));
    }
    Path file = context.home().resolve("service").resolve("service.json");
    try {
      Map<String, Object> contact = object(Files.readString(file, StandardCharsets.UTF_8));
      if (contact.get("url") instanceof String address
          && contact.get("token") instanceof String secret) {
        return new RestClient(address, secret);
      }
      throw new FdtException(
          ErrorCode.UNREACHABLE, "'" + file + "' is damaged; start fdt service again");
    } catch (NoSuchFileException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE,
          ("you have no transfer service: start one with 'fdt service', or name another one "
                  + "with %s and %s")
              .formatted(URL, TOKEN),
          e);
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.PERMISSION,
          "cannot read '" + file + "': " + IoReason.of(e) + "; allow reading it",
          e);
    }
  }

  /** A JSON object; empty if another program answers. */
  private static Map<String, Object> object(String text) {
    try {
      return Json.parseObject(text);
    } catch (JsonException e) {
      return Map.of();
    }
  }

  /** The URL of the page, without a slash at its end. */
  String page() {
    return url.substring(0, url.length() - 1);
  }

  /** An answer of the service. */
  record Answer(int status, String text, Map<String, Object> json, String etag) {
    /** An answer combined from several. */
    static Answer of(Map<String, Object> json) {
      return new Answer(200, Json.text(json), json, "");
    }

    boolean isGood() {
      return status / 100 == 2;
    }

    /** The refusal as an exception. */
    FdtException refusal() {
      Object detail = json.get("detail");
      String message =
          detail instanceof String text ? text : "the service answered with status " + status;
      return new FdtException(code(), message);
    }

    private ErrorCode code() {
      if (json.get("code") instanceof String name) {
        for (ErrorCode known : ErrorCode.values()) {
          if (known.name().equals(name)) {
            return known;
          }
        }
      }
      return switch (status) {
        case 400 -> ErrorCode.USAGE;
        case 401 -> ErrorCode.UNAUTHENTICATED;
        case 403 -> ErrorCode.FORBIDDEN;
        case 404 -> ErrorCode.NOT_FOUND;
        case 409, 412 -> ErrorCode.IN_USE;
        case 422 -> ErrorCode.UNTRUSTED;
        case 429, 503 -> ErrorCode.BUSY;
        default -> ErrorCode.INTERNAL;
      };
    }
  }

  /** Sends a request; a refusal is an error. */
  Answer ask(String method, String path, Map<String, Object> body)
      throws FdtException, InterruptedException {
    Answer answer = send(method, path, body, "");
    if (!answer.isGood()) {
      throw answer.refusal();
    }
    return answer;
  }

  Answer get(String path) throws FdtException, InterruptedException {
    return ask("GET", path, null);
  }

  /**
   * Sends a request.
   *
   * @param body null for none
   * @param ifMatch the version to change; empty for none
   */
  Answer send(String method, String path, Map<String, Object> body, String ifMatch)
      throws FdtException, InterruptedException {
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(url + "api/v1/" + path))
              .timeout(TIMEOUT)
              .header("Authorization", "Bearer " + token)
              .method(
                  method,
                  body == null
                      ? HttpRequest.BodyPublishers.noBody()
                      : HttpRequest.BodyPublishers.ofString(Json.text(body)));
      if (!ifMatch.isEmpty()) {
        request.header("If-Match", ifMatch);
      }
      HttpResponse<String> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      for (int tries = 1; tries < MOST_TRIES && isToComeBack(response); tries++) {
        TimeUnit.SECONDS.sleep(1);
        response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      }
      return new Answer(
          response.statusCode(),
          response.body(),
          object(response.body()),
          response.headers().firstValue("ETag").orElse(""));
    } catch (IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.USAGE, URL + ": '" + url + "' or its token is not of the right form", e);
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE,
          "the transfer service at " + url + " does not answer; start it with 'fdt service'",
          e);
    }
  }

  /** Whether the user is over the limit of requests: then the request can be repeated. */
  private static boolean isToComeBack(HttpResponse<String> response) {
    return response.statusCode() == 429
        && response.headers().firstValue("Retry-After").equals(Optional.of("1"));
  }

  /** A text, encoded for a path or a query. */
  static String part(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
