package io.fdt.webdav;

import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Map;

/** Headers of answers. Stateless. */
final class AnswerHeaders {
  /**
   * Headers of every answer without its own: files of users are not run, shown in frames, or read
   * by pages of other sites.
   */
  static final Map<String, String> SAFETY =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; frame-ancestors 'none'; sandbox",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Cache-Control",
          "private, no-cache");

  private AnswerHeaders() {}

  /** No headers yet. */
  static HttpHeaders empty() {
    return DefaultHttpHeadersFactory.headersFactory().newHeaders();
  }

  /** One header. */
  static HttpHeaders of(String name, String value) {
    return empty().set(name, value);
  }
}
