package io.fdt.cli.option;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import java.io.ByteArrayOutputStream;
import java.util.Locale;
import java.util.Optional;

/**
 * One end of a copy as it is written on a command line: a path on this machine, or on a server.
 * Immutable.
 */
public sealed interface Location {
  /** A path on this machine. */
  record Local(BytePath path) implements Location {}

  /**
   * A path on a server, from its root.
   *
   * @param fingerprint the key that the server must have
   */
  record Remote(ServerAddress server, BytePath path, Optional<String> fingerprint)
      implements Location {
    Remote(ServerAddress server, BytePath path) {
      this(server, path, Optional.empty());
    }
  }

  String SCHEME = "fdt://";
  String FINGERPRINT = "?fingerprint=";

  /**
   * Reads fdt://HOST[:PORT]/PATH[?fingerprint=...] (percent-encoded), HOST:PATH, or a local path. A
   * colon before the first slash makes it remote; ./a:b is local.
   *
   * @param defaultPort for locations that name none
   */
  static Location parse(String text, int defaultPort) throws UsageException {
    if (text.isEmpty()) {
      throw new UsageException("an empty path; write . for the current directory");
    }
    if (text.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
      return uri(text, defaultPort);
    }
    if (text.matches("(?s)[A-Za-z][A-Za-z0-9+.-]*://.*")) {
      String scheme = text.substring(0, text.indexOf(':'));
      throw new UsageException(
          "'" + text + "': " + scheme + ":// is not supported; write " + SCHEME + "HOST/PATH");
    }
    int colon = colonAfterHost(text);
    if (colon < 0) {
      return new Local(path(text, text));
    }
    String host = text.substring(0, colon);
    if (host.isEmpty()) {
      throw new UsageException(
          "'" + text + "': the host is missing before ':'; a local file is written ./" + text);
    }
    ServerAddress server = ServerAddress.parse(host, defaultPort);
    return new Remote(server, path(text, fromRoot(text.substring(colon + 1))));
  }

  /** Where HOST: ends, or -1 for a local path. */
  private static int colonAfterHost(String text) {
    if (text.startsWith("[")) {
      int bracket = text.indexOf("]:");
      return bracket < 0 ? -1 : bracket + 1;
    }
    int colon = text.indexOf(':');
    int slash = text.indexOf('/');
    return colon >= 0 && (slash < 0 || colon < slash) ? colon : -1;
  }

  private static Location uri(String text, int defaultPort) throws UsageException {
    int question = text.lastIndexOf(FINGERPRINT);
    Optional<String> fingerprint =
        question < 0
            ? Optional.empty()
            : Optional.of(fingerprint(text, question + FINGERPRINT.length()));
    String rest = text.substring(SCHEME.length(), question < 0 ? text.length() : question);
    int slash = rest.indexOf('/');
    String authority = slash < 0 ? rest : rest.substring(0, slash);
    String path = slash < 0 ? "/" : rest.substring(slash);
    if (authority.isEmpty()) {
      throw new UsageException(
          "'" + text + "': the host is missing; write " + SCHEME + "HOST/PATH");
    }
    boolean bareAddress =
        !authority.startsWith("[") && authority.indexOf(':') != authority.lastIndexOf(':');
    if (bareAddress) {
      throw new UsageException(
          "'" + text + "': an IPv6 address needs brackets: " + SCHEME + "[::1]/PATH");
    }
    ServerAddress server = ServerAddress.parse(authority, defaultPort);
    return new Remote(server, pathOfBytes(text, percentDecoded(text, path)), fingerprint);
  }

  private static String fingerprint(String text, int from) throws UsageException {
    String fingerprint = text.substring(from);
    AccessOptions.checkFingerprint(fingerprint);
    return fingerprint;
  }

  private static String fromRoot(String path) {
    return path.startsWith("/") ? path : "/" + path;
  }

  private static byte[] percentDecoded(String whole, String path) throws UsageException {
    byte[] raw = ByteText.encode(path);
    ByteArrayOutputStream out = new ByteArrayOutputStream(raw.length);
    for (int i = 0; i < raw.length; i++) {
      if (raw[i] != '%') {
        out.write(raw[i]);
        continue;
      }
      int high = i + 1 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
      int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw new UsageException(
            "'" + whole + "': two hex digits must follow %; a percent sign itself is written %25");
      }
      out.write(high * 16 + low);
      i += 2;
    }
    return out.toByteArray();
  }

  private static BytePath path(String whole, String text) throws UsageException {
    return pathOfBytes(whole, ByteText.encode(text));
  }

  private static BytePath pathOfBytes(String whole, byte[] bytes) throws UsageException {
    try {
      return BytePath.of(bytes);
    } catch (IllegalArgumentException e) {
      throw new UsageException("'" + whole + "': " + e.getMessage());
    }
  }
}
