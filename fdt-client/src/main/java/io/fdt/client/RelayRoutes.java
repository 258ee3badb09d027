package io.fdt.client;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Dialer;
import io.fdt.core.node.NodeAddress;
import io.fdt.core.security.Background;
import io.fdt.core.transport.Routes;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.DescribeRoute;
import io.fdt.core.wire.control.OpenRoute;
import io.fdt.core.wire.control.Passed;
import io.fdt.core.wire.control.Reply;
import io.fdt.core.wire.control.Request;
import io.fdt.core.wire.control.RouteState;
import io.fdt.core.wire.stripe.DataNode;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Routes through one relay, which may itself be reached through others. Data has routes of its own
 * where a part of the way is over UDP: control never is. Thread-safe.
 */
final class RelayRoutes implements Routes {
  private final Supplier<Dialer> relay;
  private final boolean overUdp;
  private final Map<Key, CompletableFuture<Route>> routes = new ConcurrentHashMap<>();

  /** The last one to each address; that of data, where it has its own. */
  private final Map<InetSocketAddress, Opened> opened = new ConcurrentHashMap<>();

  private record Key(InetSocketAddress target, boolean ofData) {}

  /**
   * @param overUdp whether data goes over UDP from the relay on
   */
  RelayRoutes(Supplier<Dialer> relay, boolean overUdp) {
    this.relay = relay;
    this.overUdp = overUdp;
  }

  @Override
  public boolean hasDatagrams() {
    return overUdp || relay.get().node().hasDatagramsBehindRelays();
  }

  @Override
  public List<InetSocketAddress> addresses(String host, int port) throws FdtException {
    Opened opened = open(host, port, false);
    Key key = new Key(opened.target(), false);
    routes.put(key, CompletableFuture.completedFuture(withForget(key, opened)));
    Background.join(
        ofData(opened.target())); // a relay that has no UDP says so before anything else
    return List.of(opened.target());
  }

  @Override
  public CompletableFuture<Route> to(InetSocketAddress target) {
    return route(new Key(target, false));
  }

  @Override
  public CompletableFuture<Route> ofData(InetSocketAddress target) {
    return route(new Key(target, hasDatagrams()));
  }

  private CompletableFuture<Route> route(Key key) {
    return routes.compute(
        key,
        (same, known) ->
            known != null && !known.isCompletedExceptionally()
                ? known
                : Background.run("fdt-route", () -> withForget(key, open(key))));
  }

  private Opened open(Key key) throws FdtException {
    InetSocketAddress target = key.target();
    return open(target.getAddress().getHostAddress(), target.getPort(), key.ofData());
  }

  /**
   * How the relay is doing, for each address that it connects to. Blocks.
   *
   * @throws FdtException the relay cannot be asked
   */
  List<RelayFigures> figures() throws FdtException {
    List<Opened> all = List.copyOf(opened.values());
    return asked(
        connection -> {
          List<RelayFigures> figures = new ArrayList<>();
          for (int i = 0; i < all.size(); i++) {
            figures.add(describe(connection, i + 1, all.get(i)));
          }
          return figures;
        });
  }

  private Opened open(String host, int port, boolean ofData) throws FdtException {
    Opened route = asked(connection -> open(connection, host, port, ofData));
    if (ofData == hasDatagrams()) {
      opened.put(route.target(), route);
    }
    return route;
  }

  private interface Question<T> {
    T ask(RemoteConnection connection) throws FdtException, RefusedException, InterruptedException;
  }

  private <T> T asked(Question<T> question) throws FdtException {
    RemoteConnection connection = RemoteConnection.open(relay.get());
    try {
      return question.ask(connection);
    } catch (RefusedException e) {
      throw e.cause();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "no longer wanted", e);
    } finally {
      connection.close();
    }
  }

  private Opened open(RemoteConnection connection, String host, int port, boolean ofData)
      throws FdtException, RefusedException, InterruptedException {
    boolean datagrams = ofData && overUdp;
    Request request =
        Request.newBuilder()
            .setId(1)
            .setOpenRoute(
                OpenRoute.newBuilder().setHost(host).setPort(port).setDatagrams(datagrams))
            .build();
    var answer = connection.only(request, Reply::hasRoute, "a route").getRoute();
    RemoteConnection.check(
        answer.getId().size() == SessionId.LENGTH
            && answer.getSecret().size() == Join.SECRET_LENGTH,
        "a bad route");
    InetSocketAddress target =
        NodeAddress.of(DataNode.newBuilder().setHost(answer.getAddress()).setPort(port).build());
    SessionId id = SessionId.of(answer.getId().toByteArray());
    Hop hop = new Hop(id, answer.getSecret().toByteArray(), datagrams);
    return new Opened(id, target, relay.get().node().route(connection.peer(), hop, ofData));
  }

  private RelayFigures describe(RemoteConnection connection, int number, Opened route)
      throws FdtException, RefusedException, InterruptedException {
    Request request =
        Request.newBuilder()
            .setId(number)
            .setDescribeRoute(
                DescribeRoute.newBuilder().setId(ByteString.copyFrom(route.id().bytes())))
            .build();
    RouteState state =
        connection.only(request, Reply::hasRouteState, "the state of a route").getRouteState();
    Dialer dialer = relay.get();
    return new RelayFigures(
        dialer.host() + ":" + dialer.port(),
        route.target().getAddress().getHostAddress() + ":" + route.target().getPort(),
        flow(state.getToTarget()),
        flow(state.getToClient()));
  }

  private static RelayFigures.Flow flow(Passed passed) {
    return new RelayFigures.Flow(
        Math.max(0, passed.getBytes()),
        passed.getHeld() >= 0 ? Math.min(1, passed.getHeld()) : 0, // it may be no number
        Math.max(0, passed.getRoundTripMicros()),
        Math.max(0, passed.getSegments()),
        Math.max(0, passed.getSegmentsRepeated()),
        Math.max(0, passed.getWaiting()),
        Math.max(0, passed.getMostWaiting()));
  }

  private Route withForget(Key key, Opened opened) {
    Route route = opened.route();
    return new Route(
        route.first(),
        route.hops(),
        () -> {
          route.forget().run();
          routes.remove(key);
        });
  }

  /**
   * A route that a relay has opened.
   *
   * @param id by which the relay knows it
   * @param target the address as the relay sees it
   */
  record Opened(SessionId id, InetSocketAddress target, Route route) {}
}
