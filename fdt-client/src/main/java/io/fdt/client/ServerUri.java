package io.fdt.client;

import java.net.URI;

/** The URI of a server: {@code fdt://host} or {@code fdt://host:port}. Pure. */
final class ServerUri {
  private ServerUri() {}

  /**
   * @throws IllegalArgumentException it has another scheme, or no host
   */
  static FdtClient.Builder builder(URI server) {
    if (!"fdt".equals(server.getScheme()) || server.getHost() == null) {
      throw new IllegalArgumentException("'" + server + "' is not of the form fdt://host[:port]");
    }
    String host = server.getHost();
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    FdtClient.Builder builder =
        FdtClient.builder(bracketed ? host.substring(1, host.length() - 1) : host);
    return server.getPort() < 0 ? builder : builder.port(server.getPort());
  }
}
