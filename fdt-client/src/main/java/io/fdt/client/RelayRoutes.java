package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Dialer;
import io.fdt.core.security.Background;
import io.fdt.core.transport.Routes;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Routes through one relay, which may itself be reached through others. Thread-safe. */
final class RelayRoutes implements Routes {
  private final Supplier<Dialer> relay;
  private final Map<InetSocketAddress, CompletableFuture<Route>> routes = new ConcurrentHashMap<>();

  RelayRoutes(Supplier<Dialer> relay) {
    this.relay = relay;
  }

  @Override
  public List<InetSocketAddress> addresses(String host, int port) throws FdtException {
    Opened opened = open(host, port);
    routes.put(opened.target(), CompletableFuture.completedFuture(withForget(opened)));
    return List.of(opened.target());
  }

  @Override
  public CompletableFuture<Route> to(InetSocketAddress target) {
    CompletableFuture<Route> known = routes.get(target);
    if (known != null && !known.isCompletedExceptionally()) {
      return known;
    }
    CompletableFuture<Route> opening =
        Background.run(
            "fdt-route",
            () -> withForget(open(target.getAddress().getHostAddress(), target.getPort())));
    routes.put(target, opening);
    return opening;
  }

  private Opened open(String host, int port) throws FdtException {
    RemoteConnection connection = RemoteConnection.open(relay.get());
    try {
      return connection.openRoute(host, port);
    } catch (RefusedException e) {
      throw e.cause();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "no longer wanted", e);
    } finally {
      connection.close();
    }
  }

  private Route withForget(Opened opened) {
    Route route = opened.route();
    return new Route(
        route.first(),
        route.hops(),
        () -> {
          route.forget().run();
          routes.remove(opened.target());
        });
  }

  /**
   * A route that a relay has opened.
   *
   * @param target the address as the relay sees it
   */
  record Opened(InetSocketAddress target, Route route) {}
}
