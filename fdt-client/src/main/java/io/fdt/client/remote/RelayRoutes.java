package io.fdt.client.remote;

import com.google.protobuf.ByteString;
import io.fdt.client.RelayFigures;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Tuning;
import io.fdt.core.node.Dialer;
import io.fdt.core.node.NodeAddress;
import io.fdt.core.security.Background;
import io.fdt.core.transport.Routes;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.MessageText;
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
 * Routes through one relay, which may itself be reached through others. There is one per address,
 * for control and data. Thread-safe.
 */
public final class RelayRoutes implements Routes {
  private final Supplier<Dialer> relay;
  private final Further further;
  private final Map<InetSocketAddress, CompletableFuture<OpenedRoute>> routes =
      new ConcurrentHashMap<>();

  /** The last route to each address, even if the relay has lost it. */
  private final Map<InetSocketAddress, OpenedRoute> opened = new ConcurrentHashMap<>();

  /**
   * How data continues from the relay.
   *
   * @param overUdp whether over UDP
   * @param congestion towards the next machine; empty for the system's default, {@link Tuning#AUTO}
   *     to tune it
   * @param congestionBack towards the client
   */
  public record Further(boolean overUdp, String congestion, String congestionBack) {
    private OpenRoute request(String host, int port) {
      return OpenRoute.newBuilder()
          .setHost(host)
          .setPort(port)
          .setDatagrams(overUdp)
          .setCongestion(name(congestion))
          .setCongestionBack(name(congestionBack))
          .setTunesCongestion(congestion.equals(Tuning.AUTO))
          .setTunesCongestionBack(congestionBack.equals(Tuning.AUTO))
          .build();
    }
  }

  private static String name(String congestion) {
    return congestion.equals(Tuning.AUTO) ? "" : congestion;
  }

  public RelayRoutes(Supplier<Dialer> relay, Further further) {
    this.relay = relay;
    this.further = further;
  }

  @Override
  public boolean hasDatagrams() {
    return further.overUdp() || relay.get().node().usesDatagrams();
  }

  @Override
  public List<InetSocketAddress> addresses(String host, int port) throws FdtException {
    OpenedRoute route = open(host, port);
    routes.put(route.target(), CompletableFuture.completedFuture(route));
    return List.of(route.target());
  }

  @Override
  public CompletableFuture<Route> to(InetSocketAddress target) {
    return route(target).thenApply(OpenedRoute::control);
  }

  @Override
  public CompletableFuture<Route> ofData(InetSocketAddress target) {
    return route(target).thenApply(OpenedRoute::data);
  }

  private CompletableFuture<OpenedRoute> route(InetSocketAddress target) {
    return routes.compute(
        target,
        (same, known) ->
            known != null && !known.isCompletedExceptionally()
                ? known
                : Background.run(
                    "fdt-route",
                    () -> open(target.getAddress().getHostAddress(), target.getPort())));
  }

  /**
   * The state of the relay, for each address that it connects to. Blocks.
   *
   * @throws FdtException the relay cannot be asked
   */
  public List<RelayFigures> figures() throws FdtException {
    List<OpenedRoute> all = List.copyOf(opened.values());
    return asked(
        connection -> {
          List<RelayFigures> figures = new ArrayList<>();
          for (int i = 0; i < all.size(); i++) {
            figures.add(describe(connection, i + 1, all.get(i)));
          }
          return figures;
        });
  }

  private OpenedRoute open(String host, int port) throws FdtException {
    OpenedRoute route = asked(connection -> open(connection, host, port));
    opened.put(route.target(), route);
    return route;
  }

  private interface Question<T> {
    T ask(RemoteConnection connection) throws FdtException, RefusedException, InterruptedException;
  }

  private <T> T asked(Question<T> question) throws FdtException {
    try {
      return askedOnce(question);
    } catch (FdtException e) {
      throw e.code() == ErrorCode.UNAUTHENTICATED ? ofRelay(e) : e;
    }
  }

  /** Names the relay and its options, to distinguish them from those of the server. */
  private FdtException ofRelay(FdtException refusal) {
    String reason =
        refusal
            .getMessage()
            .replaceFirst("^the server ", "it ")
            .replace(Setting.LOGIN + ", ", "")
            .replace(Setting.TOKEN.toString(), Setting.RELAY_TOKEN.toString());
    return new FdtException(
        refusal.code(), "the relay " + relay.get().host() + ": " + reason, refusal);
  }

  private <T> T askedOnce(Question<T> question) throws FdtException {
    RemoteConnection connection = RemoteConnection.open(relay.get());
    try {
      return question.ask(connection);
    } catch (RefusedException e) {
      throw e.cause();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "the request was cancelled", e);
    } finally {
      connection.close();
    }
  }

  private OpenedRoute open(RemoteConnection connection, String host, int port)
      throws FdtException, RefusedException, InterruptedException {
    Request request =
        Request.newBuilder().setId(1).setOpenRoute(further.request(host, port)).build();
    var answer = connection.only(request, Reply::hasRoute, "a route").getRoute();
    RemoteConnection.check(
        answer.getId().size() == SessionId.LENGTH
            && answer.getSecret().size() == Join.SECRET_LENGTH
            && answer.getDataSecret().size() == Join.SECRET_LENGTH,
        "a bad route");
    InetSocketAddress target =
        NodeAddress.of(DataNode.newBuilder().setHost(answer.getAddress()).setPort(port).build());
    SessionId id = SessionId.of(answer.getId().toByteArray());
    Hop control = new Hop(id, answer.getSecret().toByteArray(), false);
    Hop data = new Hop(id, answer.getDataSecret().toByteArray(), further.overUdp());
    return new OpenedRoute(
        id,
        target,
        forgotten(relay.get().node().route(connection.peer(), control, false), id, target),
        forgotten(relay.get().node().route(connection.peer(), data, true), id, target));
  }

  /** Drops the routes of control and data together: a restarted relay has lost both. */
  private Route forgotten(Route route, SessionId id, InetSocketAddress target) {
    return new Route(
        route.first(),
        route.hops(),
        () -> {
          route.forget().run();
          routes.computeIfPresent(target, (same, known) -> isOf(known, id) ? null : known);
        });
  }

  private static boolean isOf(CompletableFuture<OpenedRoute> known, SessionId id) {
    OpenedRoute route = known.exceptionally(failure -> null).getNow(null);
    return route != null && route.id().equals(id);
  }

  private RelayFigures describe(RemoteConnection connection, int number, OpenedRoute route)
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
        Math.max(0, state.getMostDataConnections()),
        flow(state.getToTarget()),
        flow(state.getToClient()));
  }

  private static RelayFigures.Flow flow(Passed passed) {
    return new RelayFigures.Flow(
        Math.max(0, passed.getBytes()),
        passed.getHeld() >= 0 ? Math.min(1, passed.getHeld()) : 0, // not necessarily a number
        Math.max(0, passed.getRoundTripMicros()),
        Math.max(0, passed.getSegments()),
        Math.max(0, passed.getSegmentsRepeated()),
        Math.max(0, passed.getWaiting()),
        Math.max(0, passed.getMostWaiting()),
        MessageText.received(passed.getCongestion()));
  }

  /**
   * A route that a relay has opened.
   *
   * @param id at the relay
   * @param target the address as resolved by the relay
   * @param control for control connections
   * @param data for data connections
   */
  private record OpenedRoute(SessionId id, InetSocketAddress target, Route control, Route data) {}
}
