package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The proxies of https_proxy, http_proxy, all_proxy and no_proxy, as curl reads them. Any thread.
 */
final class EnvironmentProxies extends ProxySelector {
  private final Map<String, String> environment;

  EnvironmentProxies(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * Refuses proxies that cannot be used.
   *
   * @throws FdtException USAGE
   */
  void check(URI url) throws FdtException {
    String proxy = proxyOf(url);
    if (!proxy.isEmpty() && addressOf(proxy) == null) {
      throw new FdtException(
          ErrorCode.USAGE,
          "the proxy of %s://: write http://HOST:PORT, without a password"
              .formatted(url.getScheme()));
    }
  }

  @Override
  public List<Proxy> select(URI url) {
    InetSocketAddress address = addressOf(proxyOf(url));
    return List.of(address == null ? Proxy.NO_PROXY : new Proxy(Proxy.Type.HTTP, address));
  }

  private String proxyOf(URI url) {
    if (isExcepted(url.getHost().toLowerCase(Locale.ROOT))) {
      return "";
    }
    // Not HTTP_PROXY, which a request can set for a CGI program.
    String own = Urls.isEncrypted(url) ? value("https_proxy") : get("http_proxy");
    return own.isEmpty() ? value("all_proxy") : own;
  }

  private boolean isExcepted(String host) {
    for (String text : value("no_proxy").toLowerCase(Locale.ROOT).split("[,\\s]+")) {
      String name = text.startsWith(".") ? text.substring(1) : text;
      if (name.equals("*")
          || (!name.isEmpty() && (host.equals(name) || host.endsWith("." + name)))) {
        return true;
      }
    }
    return false;
  }

  private String value(String name) {
    String lower = get(name);
    return lower.isEmpty() ? get(name.toUpperCase(Locale.ROOT)) : lower;
  }

  private String get(String name) {
    return environment.getOrDefault(name, "");
  }

  private static InetSocketAddress addressOf(String proxy) {
    try {
      URI url = URI.create(proxy.contains("://") ? proxy : "http://" + proxy);
      boolean isUsable =
          url.getHost() != null && url.getRawUserInfo() == null && url.getScheme().equals("http");
      return isUsable
          ? new InetSocketAddress(url.getHost(), url.getPort() < 0 ? 1080 : url.getPort())
          : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  @Override
  public void connectFailed(URI url, SocketAddress address, IOException cause) {
    // The request fails with it.
  }
}
