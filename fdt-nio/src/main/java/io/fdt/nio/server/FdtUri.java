package io.fdt.nio.server;

import io.fdt.client.FdtClient;
import io.fdt.core.model.ByteText;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A server and a path on it, written as a URI: {@code fdt://host[:port]/path}. Bytes of names that
 * are not plain ASCII are percent-encoded. Immutable.
 *
 * @param host name or address, without brackets, lower case
 * @param port 1 to 65535
 * @param path absolute, as {@link ByteText}
 */
public record FdtUri(String host, int port, String path) {
  /** The scheme of all URIs. */
  public static final String SCHEME = "fdt";

  private static final String PLAIN = "-._~/!$&'()*+,;=:@";

  /**
   * Reads a URI.
   *
   * @throws IllegalArgumentException it is not of the form {@code fdt://host[:port]/path}
   */
  public static FdtUri parse(URI uri) {
    if (!SCHEME.equalsIgnoreCase(uri.getScheme())) {
      throw bad(uri, "its scheme is not fdt");
    }
    if (uri.isOpaque() || uri.getHost() == null) {
      throw bad(uri, "it has no valid host name");
    }
    if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw bad(uri, "user, query and fragment are not supported");
    }
    int port = uri.getPort() < 0 ? FdtClient.DEFAULT_PORT : uri.getPort();
    if (port < 1 || port > 65535) {
      throw bad(uri, "its port is not between 1 and 65535");
    }
    String host = uri.getHost();
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    String bare = bracketed ? host.substring(1, host.length() - 1) : host;
    String raw = uri.getRawPath();
    String path = raw == null || raw.isEmpty() ? "/" : decode(raw);
    if (path.indexOf(0) >= 0) {
      throw bad(uri, "a path has no NUL byte");
    }
    return new FdtUri(bare.toLowerCase(Locale.ROOT), port, path);
  }

  private static IllegalArgumentException bad(URI uri, String why) {
    return new IllegalArgumentException(
        "'" + uri + "' is not of the form fdt://host[:port]/path: " + why);
  }

  /** The URI; the default port is left out. */
  public URI toUri() {
    String shownHost = host.indexOf(':') < 0 ? host : "[" + host + "]";
    String shownPort = port == FdtClient.DEFAULT_PORT ? "" : ":" + port;
    return URI.create(SCHEME + "://" + shownHost + shownPort + encode(path));
  }

  private static String decode(String raw) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length());
    int start = 0;
    for (int i = raw.indexOf('%'); i >= 0; i = raw.indexOf('%', start)) {
      bytes.writeBytes(raw.substring(start, i).getBytes(StandardCharsets.UTF_8));
      bytes.write(Integer.parseInt(raw.substring(i + 1, i + 3), 16)); // URI has checked the digits
      start = i + 3;
    }
    bytes.writeBytes(raw.substring(start).getBytes(StandardCharsets.UTF_8));
    return ByteText.decode(bytes.toByteArray());
  }

  private static String encode(String path) {
    StringBuilder text = new StringBuilder(path.length() + 16);
    for (byte b : ByteText.encode(path)) {
      char c = (char) (b & 0xFF);
      boolean isPlain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || PLAIN.indexOf(c) >= 0;
      if (isPlain) {
        text.append(c);
      } else {
        text.append(String.format(Locale.ROOT, "%%%02X", (int) c));
      }
    }
    return text.toString();
  }
}
