package io.fdt.webdav;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import java.util.LinkedHashMap;
import java.util.Map;

/** A request that is not carried out: its status, and a line for a person. */
final class HttpRefusal extends Exception {
  private static final long serialVersionUID = 1L;

  /** Seconds after which a busy server is asked again. */
  private static final String RETRY_SECONDS = "30";

  private final int status;
  private final transient Map<String, String> headers = new LinkedHashMap<>();

  HttpRefusal(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** A failure of the server's own, in the terms of HTTP. */
  static HttpRefusal of(FdtException cause) {
    HttpRefusal refusal = new HttpRefusal(status(cause.code()), text(cause));
    if (refusal.status == 401) {
      refusal.with("WWW-Authenticate", "Bearer, Basic realm=\"FDT\", charset=\"UTF-8\"");
    }
    return refusal.status == 503 ? refusal.with("Retry-After", RETRY_SECONDS) : refusal;
  }

  /** The message in words of the command, whose users read it. */
  static String text(FdtException cause) {
    return Setting.asOptions(cause.getMessage());
  }

  private static int status(ErrorCode code) {
    return switch (code) {
      case UNAUTHENTICATED -> 401;
      case FORBIDDEN, PERMISSION, READ_ONLY, FILTER -> 403;
      case NOT_FOUND -> 404;
      case TIMEOUT -> 408;
      case WRONG_KIND, SOURCE_CHANGED, IN_USE -> 409;
      case USAGE, PROTOCOL, BAD_NAME, VERIFICATION -> 400;
      case UNREACHABLE, UNTRUSTED -> 502;
      case BUSY, SHUTTING_DOWN, RESOURCES -> 503;
      case STORAGE_FULL -> 507;
      default -> 500;
    };
  }

  /** The same with a header of the answer. */
  HttpRefusal with(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** The same for logs. */
  FdtException as(ErrorCode code) {
    return new FdtException(code, getMessage(), this);
  }

  int status() {
    return status;
  }

  Map<String, String> headers() {
    return headers;
  }
}
