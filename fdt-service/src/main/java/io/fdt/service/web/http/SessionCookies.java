package io.fdt.service.web.http;

import java.time.Duration;
import java.util.Map;

/**
 * The cookies of this service. Behind TLS their names begin with __Host-: other hosts, and pages
 * without TLS, cannot set such a cookie and so change the signed-in user. Immutable.
 *
 * @param isSecure whether browsers come by TLS only
 */
public record SessionCookies(boolean isSecure) {
  private static final String SESSION = "fdt_session";
  private static final String ATTEMPT = "fdt_sign_in";

  private String named(String name) {
    return isSecure ? "__Host-" + name : name;
  }

  /** The value of the cookie of a session; empty if missing. */
  String session(Map<String, String> cookies) {
    return cookies.getOrDefault(named(SESSION), "");
  }

  /** The value of the cookie of a sign-in in progress; empty if missing. */
  String attempt(Map<String, String> cookies) {
    return cookies.getOrDefault(named(ATTEMPT), "");
  }

  /** Sets the cookie of a session; an empty value removes it. */
  public String setSession(String value, Duration life, boolean cameByTls) {
    return set(named(SESSION), value, "Strict", life, cameByTls);
  }

  /** Sets the cookie of a sign-in; the browser must send it when the provider redirects back. */
  public String setAttempt(String value, Duration life) {
    return set(named(ATTEMPT), value, "Lax", life, false);
  }

  private String set(String name, String value, String site, Duration life, boolean cameByTls) {
    return "%s=%s; Path=/; HttpOnly; SameSite=%s; Max-Age=%d%s"
        .formatted(name, value, site, life.toSeconds(), isSecure || cameByTls ? "; Secure" : "");
  }
}
