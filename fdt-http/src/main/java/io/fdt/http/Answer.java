package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A response after redirects; close it.
 *
 * @param url that gave it
 */
record Answer(URI url, int status, HttpHeaders headers, Body body) implements AutoCloseable {
  static final int OK = 200;
  static final int PARTIAL = 206;
  static final int UNAUTHORIZED = 401;
  static final int FORBIDDEN = 403;
  static final int NOT_FOUND = 404;
  static final int GONE = 410;
  static final int CHANGED = 412;
  static final int NO_SUCH_RANGE = 416;
  private static final int PROXY_LOGIN = 407;
  private static final int TOO_MANY = 429;
  private static final int INTERNAL = 500;
  private static final int UNAVAILABLE = 503;

  private static final Pattern CONTENT_RANGE =
      Pattern.compile("(?i)\\s*bytes\\s+(\\d{1,18})-(\\d{1,18})/(\\d{1,18}|\\*)\\s*");

  boolean isMissing() {
    return status == NOT_FOUND || status == GONE;
  }

  /** Whether the same request may succeed in a while. */
  boolean isBusy() {
    return status == TOO_MANY || (status > INTERNAL && status <= UNAVAILABLE + 1);
  }

  /** Bytes of the whole file; empty when the server does not say. */
  OptionalLong size() {
    if (status != PARTIAL) {
      return headers.firstValueAsLong("Content-Length");
    }
    Matcher range = CONTENT_RANGE.matcher(headers.firstValue("Content-Range").orElse(""));
    return range.matches() && !range.group(3).equals("*")
        ? OptionalLong.of(Long.parseLong(range.group(3)))
        : OptionalLong.empty();
  }

  /** Whether the body is exactly this range, by its header. */
  boolean isRange(long offset, long length) {
    Matcher range = CONTENT_RANGE.matcher(headers.firstValue("Content-Range").orElse(""));
    return range.matches()
        && Long.parseLong(range.group(1)) == offset
        && Long.parseLong(range.group(2)) == offset + length - 1;
  }

  /**
   * The failure that the status says.
   *
   * @param at the URL for the message
   */
  FdtException failure(String at) {
    return switch (status) {
      case UNAUTHORIZED ->
          new FdtException(
              ErrorCode.UNAUTHENTICATED,
              "'"
                  + at
                  + "' wants credentials that it does not get (401):"
                  + " set BEARER_TOKEN_FILE (for https), or add its host to ~/.netrc");
      case FORBIDDEN ->
          new FdtException(
              ErrorCode.FORBIDDEN, "'" + at + "' is not allowed (403): check the credentials");
      case NOT_FOUND, GONE ->
          new FdtException(
              ErrorCode.NOT_FOUND, "'" + at + "' does not exist (" + status + "); check the path");
      case PROXY_LOGIN ->
          new FdtException(
              ErrorCode.FORBIDDEN,
              "'" + at + "': the proxy wants a password (407): choose another, or set no_proxy");
      default ->
          isBusy()
              ? new FdtException(
                  ErrorCode.BUSY,
                  "'%s': the server is busy (%d); try again later".formatted(at, status))
              : new FdtException(
                  status >= INTERNAL ? ErrorCode.IO : ErrorCode.PROTOCOL,
                  "'%s': the server answers with status %d; open it with curl -v to see why"
                      .formatted(at, status));
    };
  }

  @Override
  public void close() {
    body.close();
  }
}
