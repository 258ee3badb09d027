package io.fdt.webdav;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * The URL of a file at another server. Immutable.
 *
 * @param host without the brackets of IPv6
 * @param target path and query, encoded
 */
record RemoteUrl(String host, int port, String target) {
  private static final int HTTPS = 443;
  private static final int MOST_PORT = 65_535;

  /**
   * Reads a URL.
   *
   * @throws HttpRefusal 400 unless it is one of https without a user
   */
  static RemoteUrl of(String text) throws HttpRefusal {
    try {
      return of(new URI(text.strip()));
    } catch (URISyntaxException e) {
      throw new HttpRefusal(400, "the other end has no URL that can be read; correct it");
    }
  }

  private static RemoteUrl of(URI uri) throws HttpRefusal {
    String scheme = uri.getScheme() == null ? "" : uri.getScheme();
    boolean isHttps = scheme.equalsIgnoreCase("https") || scheme.equalsIgnoreCase("davs");
    if (!isHttps || uri.getHost() == null) {
      throw new HttpRefusal(400, "the other end is not https://HOST/PATH; correct its URL");
    }
    if (uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
      throw new HttpRefusal(400, "the URL of the other end has a user or a fragment; use neither");
    }
    if (uri.getPort() == 0 || uri.getPort() > MOST_PORT) {
      throw new HttpRefusal(400, "the port of the other end is not from 1 to 65535; correct it");
    }
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return new RemoteUrl(
        uri.getHost().replaceAll("^\\[|\\]$", ""),
        uri.getPort() < 0 ? HTTPS : uri.getPort(),
        path + query);
  }

  /** Where a redirect of this URL leads. */
  RemoteUrl redirected(String location) throws HttpRefusal {
    try {
      return of(new URI("https://" + authority() + target).resolve(location.strip()));
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw new HttpRefusal(400, "the other server redirects to no URL");
    }
  }

  /** For the header Host. */
  String authority() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == HTTPS ? name : name + ":" + port;
  }

  boolean isSameServer(RemoteUrl other) {
    return host.equalsIgnoreCase(other.host) && port == other.port;
  }
}
