package io.fdt.service.value;

/** The ways in which a request can fail: HTTP status, and name in answers. */
public enum Fault {
  INVALID(400, "invalid"),
  /** No token or cookie, or one that has expired. */
  UNAUTHENTICATED(401, "unauthenticated"),
  /** The token lacks a scope, or a browser did not send the header of the page. */
  FORBIDDEN(403, "forbidden"),
  NOT_FOUND(404, "not-found"),
  METHOD(405, "method-not-allowed"),
  /** The body of a request did not arrive in time. */
  SLOW(408, "slow"),
  /** The task, the endpoint or the name is in another state. */
  CONFLICT(409, "conflict"),
  /** If-Match names an older version. */
  CHANGED(412, "changed"),
  TOO_LARGE(413, "too-large"),
  /** The service may not connect to this address. */
  ADDRESS(422, "address-not-allowed"),
  /** The endpoint has an unknown key. */
  UNTRUSTED(422, "untrusted"),
  /** The endpoint refused, or cannot be reached. */
  ENDPOINT(422, "endpoint"),
  /** A change needs If-Match. */
  IF_MATCH(428, "if-match-required"),
  TOO_MANY(429, "too-many"),
  /** The headers of a request are too long. */
  HEADERS(431, "headers-too-large"),
  INTERNAL(500, "internal"),
  BUSY(503, "busy");

  private final int status;
  private final String text;

  Fault(int status, String text) {
    this.status = status;
    this.text = text;
  }

  /** A refusal for this reason. */
  public ServiceException of(String message) {
    return new ServiceException(this, message);
  }

  public int status() {
    return status;
  }

  /** Whether an endpoint is involved. */
  public boolean isOfEndpoint() {
    return this == ENDPOINT || this == UNTRUSTED || this == ADDRESS || status >= 500;
  }

  /** The last part of the problem's type. */
  public String text() {
    return text;
  }
}
