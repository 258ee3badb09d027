package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Answers Prometheus over HTTP, at /metrics. Threads of its own. */
final class MetricsEndpoint implements AutoCloseable {
  private final InetSocketAddress address;
  private final HTTPServer server;

  /**
   * @param wanted port 0 for any free one
   * @throws FdtException USAGE when the address cannot be listened on
   */
  MetricsEndpoint(InetSocketAddress wanted, ServerFigures figures) throws FdtException {
    if (wanted.isUnresolved()) {
      throw new FdtException(
          ErrorCode.USAGE, "cannot show metrics on " + wanted.getHostString() + ": unknown host");
    }
    PrometheusRegistry registry = new PrometheusRegistry();
    registry.register(figures);
    try {
      server =
          HTTPServer.builder()
              .inetAddress(wanted.getAddress())
              .port(wanted.getPort())
              .registry(registry)
              .buildAndStart();
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.USAGE,
          "cannot show metrics on %s:%d: %s"
              .formatted(wanted.getHostString(), wanted.getPort(), e.getMessage()),
          e);
    }
    address = new InetSocketAddress(wanted.getAddress(), server.getPort());
  }

  InetSocketAddress address() {
    return address;
  }

  @Override
  public void close() {
    server.close();
  }
}
