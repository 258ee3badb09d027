package io.fdt.server.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.node.Node;
import io.fdt.core.security.AddressRange;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.TokenBook;
import io.fdt.core.transport.Backlog;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.DescribeRoute;
import io.fdt.core.wire.control.OpenRoute;
import io.fdt.core.wire.control.Route;
import io.fdt.server.limits.Grants;
import io.fdt.server.limits.Owner;
import io.fdt.server.limits.ServerRates;
import io.fdt.server.spool.PassingSpool;
import io.fdt.server.spool.Spool;
import io.fdt.server.spool.SpoolQuota;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RelayTest {
  private static final ServerRates NO_RATES = new ServerRates(RateSchedule.NONE, RateSchedule.NONE);

  private static final Grant ALICE = Grant.unlimited("alice", Instant.EPOCH);
  private static final InetAddress CLIENT = InetAddress.getLoopbackAddress();

  private long now;
  private final Relay relay =
      relay(true, DialRule.only(List.of(AddressRange.parse("192.0.2.0/24"))));

  private Relay relay(boolean enabled, DialRule rule) {
    return new Relay(enabled, rule, NO_RATES, RelayParts.PLAIN, Optional.empty(), () -> now);
  }

  private static OpenRoute to(String host, int port) {
    return OpenRoute.newBuilder().setHost(host).setPort(port).build();
  }

  private Route route() throws FdtException {
    return relay.open(to("192.0.2.7", 54321), ALICE, CLIENT);
  }

  private static Join join(Route route, int number) {
    return Join.prove(
        SessionId.of(route.getId().toByteArray()), number, route.getSecret().toByteArray());
  }

  private static Join joinData(Route route, int number) {
    return Join.prove(
        SessionId.of(route.getId().toByteArray()), number, route.getDataSecret().toByteArray());
  }

  private interface Attempt {
    Object run() throws FdtException;
  }

  private static ErrorCode refusal(Attempt attempt) {
    return catchThrowableOfType(FdtException.class, attempt::run).code();
  }

  private static OpenRoute.Builder somewhere() {
    return to("192.0.2.7", 54321).toBuilder();
  }

  private Route open(OpenRoute.Builder request) throws FdtException {
    return relay.open(request.build(), ALICE, CLIENT);
  }

  @Test
  void aRouteSaysHowManyConnectionsCarriedDataAtOnce() throws Exception {
    Route route = route();
    relay.connect(join(route, 0));
    RelayTarget first = relay.connect(joinData(route, 0));
    RelayTarget second = relay.connect(joinData(route, 1));
    first.ended();
    second.ended();
    relay.connect(joinData(route, 2));

    DescribeRoute question = DescribeRoute.newBuilder().setId(route.getId()).build();
    assertThat(relay.describe(question, ALICE).getMostDataConnections()).isEqualTo(2);
  }

  @Test
  void aTokenHasHalfOfTheConnections() throws Exception {
    Route route = route();
    for (int number = 0; number < 1024; number++) {
      relay.connect(joinData(route, number));
    }
    assertThat(refusal(() -> relay.connect(joinData(route, 1024)))).isEqualTo(ErrorCode.BUSY);
    assertThat(refusal(() -> relay.connect(join(route, 0)))).isEqualTo(ErrorCode.BUSY);
  }

  @Test
  void whatThePartsOfARouteCannotBeIsRefused() {
    assertThat(refusal(() -> open(somewhere().setCongestion("auto"))))
        .isEqualTo(ErrorCode.PROTOCOL);
    assertThat(refusal(() -> open(somewhere().setCongestionBack("a b"))))
        .isEqualTo(ErrorCode.PROTOCOL);
    assertThat(refusal(() -> open(somewhere().setCongestion("bbr"))))
        .isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(refusal(() -> open(somewhere().setCongestionBack("bbr"))))
        .isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(refusal(() -> open(somewhere().setDatagrams(true)))).isEqualTo(ErrorCode.FORBIDDEN);
  }

  @Test
  void congestionControlsAreThoseOfData() throws Exception {
    RelayParts parts =
        new RelayParts(
            Optional.empty(), List.of("bbr", "reno")::contains, addresses -> addresses.get(0));
    Relay knowing =
        new Relay(true, DialRule.ANYWHERE, NO_RATES, parts, Optional.empty(), () -> now);
    Route route =
        knowing.open(
            somewhere().setCongestion("bbr").setCongestionBack("reno").build(), ALICE, CLIENT);
    RelayTarget data = knowing.connect(joinData(route, 0));
    RelayTarget control = knowing.connect(join(route, 0));

    assertThat(data.congestion(RelayTarget.Direction.TO_TARGET)).isEqualTo("bbr");
    assertThat(data.congestion(RelayTarget.Direction.TO_CLIENT)).isEqualTo("reno");
    assertThat(control.congestion(RelayTarget.Direction.TO_TARGET)).isEmpty();
  }

  @Test
  void aRouteLeadsToTheAddressThatWasAskedFor() throws Exception {
    Route route = route();
    assertThat(route.getAddress()).isEqualTo("192.0.2.7");
    RelayTarget target = relay.connect(join(route, 0));
    assertThat(target.address()).isEqualTo(new InetSocketAddress("192.0.2.7", 54321));
    target.passed(RelayTarget.Direction.TO_TARGET, 100);
    assertThat(relay.bytes()).isEqualTo(100);
    assertThat(relay.connections()).isEqualTo(1);
    target.ended();
    assertThat(relay.connections()).isZero();
  }

  @Test
  void whoDoesNotKnowTheSecretGetsNowhere() throws Exception {
    Route route = route();
    Join forged =
        Join.prove(SessionId.of(route.getId().toByteArray()), 0, new byte[Join.SECRET_LENGTH]);
    assertThat(refusal(() -> relay.connect(forged))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    assertThat(relay.connections()).isZero();
  }

  @Test
  void whatWasSeenOnTheWireIsGoodForNothingAgain() throws Exception {
    Route route = route();
    relay.connect(join(route, 5)).ended();
    assertThat(refusal(() -> relay.connect(join(route, 5)))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    relay.connect(join(route, 4)).ended(); // in any order
    assertThat(refusal(() -> relay.connect(join(route, 100_000))))
        .isEqualTo(ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void aRouteThatNobodyUsesIsForgotten() throws Exception {
    Route used = route();
    Route unused = route();
    RelayTarget open = relay.connect(join(used, 0));
    now += Relay.GOOD_FOR.toNanos() + 1;
    assertThat(refusal(() -> relay.connect(join(unused, 0)))).isEqualTo(ErrorCode.NOT_FOUND);
    relay.connect(join(used, 1)).ended();
    open.ended();
    now += Relay.GOOD_FOR.toNanos() + 1;
    assertThat(refusal(() -> relay.connect(join(used, 2)))).isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  void aRelayIsNoOpenProxy() {
    assertThat(refusal(() -> relay.open(to("198.51.100.1", 22), ALICE, CLIENT)))
        .isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(refusal(() -> relay.open(to("127.0.0.1", 22), ALICE, CLIENT)))
        .isEqualTo(ErrorCode.FORBIDDEN);
    Grant anonymous = Owner.anonymous(false);
    assertThat(refusal(() -> relay.open(to("192.0.2.7", 22), anonymous, CLIENT)))
        .isEqualTo(ErrorCode.FORBIDDEN);
    Relay off = relay(false, DialRule.ANYWHERE);
    assertThat(refusal(() -> off.open(to("192.0.2.7", 22), ALICE, CLIENT)))
        .isEqualTo(ErrorCode.FORBIDDEN);
  }

  private static InetAddress[] addresses(String... texts) {
    return Stream.of(texts)
        .map(
            text -> {
              try {
                return InetAddress.getByName(text);
              } catch (UnknownHostException e) {
                throw new IllegalArgumentException(e);
              }
            })
        .toArray(InetAddress[]::new);
  }

  private InetSocketAddress targetOf(Relay some, String name) throws FdtException {
    return some.connect(join(some.open(to(name, 54321), ALICE, CLIENT), 0)).address();
  }

  @Test
  void ofANameWithSeveralAddressesOnlyOneThatIsAllowedIsUsed() throws Exception {
    Relay mixed =
        new Relay(
            true,
            DialRule.only(List.of(AddressRange.parse("192.0.2.0/24"))),
            NO_RATES,
            RelayParts.PLAIN,
            Optional.empty(),
            () -> now,
            name -> addresses("127.0.0.1", "::1", "169.254.1.1", "198.51.100.1", "192.0.2.7"));
    assertThat(targetOf(mixed, "mixed").getAddress().getHostAddress()).isEqualTo("192.0.2.7");
    Relay usual =
        new Relay(
            true,
            DialRule.usual(false),
            NO_RATES,
            RelayParts.PLAIN,
            Optional.empty(),
            () -> now,
            name -> addresses("::ffff:127.0.0.1", "fe80::1", "0.0.0.0", "ff02::1", "224.0.0.1"));
    assertThat(refusal(() -> usual.open(to("none", 22), ALICE, CLIENT)))
        .isEqualTo(ErrorCode.FORBIDDEN);
  }

  /** Its first address is a machine that is off, and another one is forbidden. */
  @Test
  void aServerIsReachedThoughTheFirstAddressOfItsNameDoesNotAnswer() throws Exception {
    try (Node node = new Node("test-relay", Duration.ofSeconds(20), Node.TCP)) {
      Relay reaching =
          new Relay(
              true,
              DialRule.only(List.of(AddressRange.parse("127.0.0.0/29"))),
              NO_RATES,
              RelayParts.of(node),
              Optional.empty(),
              () -> now,
              name -> addresses("127.0.0.9", "127.0.0.2", "127.0.0.1"));
      int port;
      try (ServerSocket server = new ServerSocket(0, 9, CLIENT);
          ServerSocketChannel forbidden = ServerSocketChannel.open()) {
        port = server.getLocalPort();
        forbidden.bind(new InetSocketAddress("127.0.0.9", port)).configureBlocking(false);

        Route route = reaching.open(to("several", port), ALICE, CLIENT);

        assertThat(route.getAddress()).isEqualTo("127.0.0.1");
        assertThat(reaching.connect(join(route, 0)).address())
            .isEqualTo(new InetSocketAddress(CLIENT, port));
        assertThat(forbidden.accept()).as("a connection to the forbidden address").isNull();
      }
      assertThat(refusal(() -> reaching.open(to("several", port), ALICE, CLIENT)))
          .isEqualTo(ErrorCode.UNREACHABLE);
    }
  }

  /** The name is looked up once: what it means later is of no quota. */
  @Test
  void aNameThatChangesItsAddressLeadsWhereItWasAllowed() throws Exception {
    String[] answer = {"192.0.2.7"};
    Relay changing =
        new Relay(
            true,
            DialRule.usual(false),
            NO_RATES,
            RelayParts.PLAIN,
            Optional.empty(),
            () -> now,
            name -> addresses(answer[0]));
    Route route = changing.open(to("rebound", 54321), ALICE, CLIENT);
    answer[0] = "127.0.0.1";

    assertThat(route.getAddress()).isEqualTo("192.0.2.7");
    for (int number = 0; number < 3; number++) {
      assertThat(changing.connect(join(route, number)).address())
          .isEqualTo(new InetSocketAddress("192.0.2.7", 54321));
    }
    assertThat(refusal(() -> changing.open(to("rebound", 54321), ALICE, CLIENT)))
        .isEqualTo(ErrorCode.FORBIDDEN);
  }

  @Test
  void oneTokenHasNoMoreThanHalfOfTheRoutes() throws Exception {
    for (int i = 0; i < 512; i++) {
      route();
    }
    assertThat(refusal(this::route)).isEqualTo(ErrorCode.BUSY);
    now += Relay.GOOD_FOR.toNanos() + 1;
    assertThat(route().getId().size()).isEqualTo(SessionId.LENGTH);
  }

  @Test
  void anAddressThatIsNoneIsRefused() {
    for (OpenRoute bad : List.of(to("", 1), to("h", 0), to("h", 65536), to("h".repeat(256), 1))) {
      assertThat(refusal(() -> relay.open(bad, ALICE, CLIENT))).isEqualTo(ErrorCode.PROTOCOL);
    }
    assertThat(refusal(() -> relay.open(to("no-such-host.invalid", 1), ALICE, CLIENT)))
        .isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void aTokenMayBeRelayedToItsOwnAddressesOnly() throws Exception {
    Grant bob =
        Grants.withRelay("bob", new RelayGrant(true, List.of("192.0.2.7", "10.0.0.1"), 0, 0));

    assertThat(relay.open(to("192.0.2.7", 1), bob, CLIENT).getAddress()).isEqualTo("192.0.2.7");
    assertThat(refusal(() -> relay.open(to("192.0.2.8", 1), bob, CLIENT)))
        .isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(refusal(() -> relay.open(to("10.0.0.1", 1), bob, CLIENT)))
        .as("the relay does not allow it")
        .isEqualTo(ErrorCode.FORBIDDEN);
  }

  @Test
  void aTokenWithoutTheRightIsRefused() {
    assertThat(
            refusal(
                () ->
                    relay.open(
                        to("192.0.2.7", 1), Grants.withRelay("bob", RelayGrant.NONE), CLIENT)))
        .isEqualTo(ErrorCode.FORBIDDEN);
  }

  @Test
  void allConnectionsOfATokenShareItsRate() throws Exception {
    Grant bob = Grants.withRelay("bob", new RelayGrant(true, List.of(), 1_000_000, 0));
    Route first = relay.open(to("192.0.2.7", 1), bob, CLIENT);
    Route second = relay.open(to("192.0.2.8", 1), bob, CLIENT);
    RelayTarget one = relay.connect(join(first, 0));
    RelayTarget two = relay.connect(join(second, 0));
    now = TimeUnit.SECONDS.toNanos(5);
    assertThat(one.nanosToWait()).isZero();

    one.passed(RelayTarget.Direction.TO_TARGET, 500_000);
    two.passed(RelayTarget.Direction.TO_TARGET, 500_000);

    long wait = one.nanosToWait();
    assertThat(wait).isBetween(TimeUnit.MILLISECONDS.toNanos(970), TimeUnit.SECONDS.toNanos(1));
    assertThat(two.nanosToWait()).isEqualTo(wait);
    now += wait;
    assertThat(one.nanosToWait()).isZero();
    RelayTarget unlimited = relay.connect(join(route(), 0));
    unlimited.passed(RelayTarget.Direction.TO_TARGET, 1 << 30);
    assertThat(unlimited.nanosToWait()).isZero();
  }

  /** serve --limit holds for what is relayed, too. */
  @Test
  void theServersRateIsDividedAmongRoutesAndSessions() throws Exception {
    ServerRates rates = new ServerRates(RateSchedule.parse("8Mbit/s"), RateSchedule.NONE);
    Relay limited =
        new Relay(true, DialRule.ANYWHERE, rates, RelayParts.PLAIN, Optional.empty(), () -> now);
    RelayTarget one = limited.connect(join(limited.open(to("192.0.2.7", 1), ALICE, CLIENT), 0));

    one.passed(RelayTarget.Direction.TO_TARGET, 1_000_000);

    assertThat(one.nanosToWait())
        .isBetween(TimeUnit.MILLISECONDS.toNanos(970), TimeUnit.SECONDS.toNanos(1));
    rates.close();
  }

  /** What others leave is for those that wait, too. */
  @Test
  void aHigherRateHoldsForThoseThatWaitAlready() throws Exception {
    ServerRates rates = new ServerRates(RateSchedule.parse("8Mbit/s"), RateSchedule.NONE);
    Relay limited =
        new Relay(true, DialRule.ANYWHERE, rates, RelayParts.PLAIN, Optional.empty(), () -> now);
    RelayTarget one = connect(limited, "one");
    RelayTarget two = connect(limited, "two");
    RelayTarget three = connect(limited, "three");
    RelayTarget four = connect(limited, "four");
    one.passed(RelayTarget.Direction.TO_TARGET, 1_000_000);
    assertThat(one.nanosToWait())
        .isBetween(TimeUnit.MILLISECONDS.toNanos(3970), TimeUnit.SECONDS.toNanos(4));

    two.ended();
    three.ended();
    four.ended();
    connect(limited, "five"); // the rate is divided anew

    assertThat(one.nanosToWait())
        .isBetween(TimeUnit.MILLISECONDS.toNanos(1970), TimeUnit.SECONDS.toNanos(2));
    rates.close();
  }

  private RelayTarget connect(Relay some, String token) throws FdtException {
    Grant grant = Grant.unlimited(token, Instant.EPOCH);
    return some.connect(join(some.open(to("192.0.2.7", 1), grant, CLIENT), 0));
  }

  @Test
  void aConnectionThatBeginsWhileItsTokenIsRevokedIsClosed() throws Exception {
    List<String> closed = new ArrayList<>();
    RelayTarget early = relay.connect(join(route(), 0));
    early.closedBy(() -> closed.add("early"));
    RelayTarget late = relay.connect(join(route(), 0));

    relay.endRevoked(new TokenBook("fdt_other", Optional.empty()));
    assertThat(closed).containsExactly("early");
    late.closedBy(() -> closed.add("late"));

    assertThat(closed).containsExactly("early", "late");
  }

  @Test
  void aNumberIsGoodOnceForControlAndOnceForData() throws Exception {
    Route route = route();
    relay.connect(join(route, 0));
    relay.connect(joinData(route, 0));
    assertThat(refusal(() -> relay.connect(join(route, 0)))).isEqualTo(ErrorCode.UNAUTHENTICATED);
    assertThat(refusal(() -> relay.connect(joinData(route, 0))))
        .isEqualTo(ErrorCode.UNAUTHENTICATED);
  }

  /** When a source has died, its receiver drops what comes after the end of control. */
  @Test
  void controlIsHeldBackWhileTheSpoolHasDataOfTheSameRoute(@TempDir Path directory)
      throws Exception {
    Spool spool = new Spool(directory, ByteSize.ofBytes(1 << 20));
    spool.open().close();
    EventLoop loop = new DefaultEventLoop();
    try (PassingSpool passing =
        new PassingSpool(spool, new SpoolQuota(ByteSize.ofBytes(1 << 20)), () -> now)) {
      Relay holding =
          new Relay(
              true, DialRule.ANYWHERE, NO_RATES, RelayParts.PLAIN, Optional.of(passing), () -> now);
      OpenRoute open = to("192.0.2.7", 1);
      Route route = holding.open(open, ALICE, CLIENT);
      RelayTarget control = holding.connect(join(route, 0));
      RelayTarget data = holding.connect(joinData(route, 0));
      RelayTarget otherData = holding.connect(joinData(route, 1));
      RelayTarget another = holding.connect(join(holding.open(open, ALICE, CLIENT), 0));
      Backlog backlog =
          data.backlog(
                  RelayTarget.Direction.TO_TARGET,
                  loop,
                  UnpooledByteBufAllocator.DEFAULT,
                  new NoListener())
              .get();
      now += TimeUnit.SECONDS.toNanos(11);
      assertThat(lingers(control, 0)).as("nothing waits").isFalse();

      backlog.add(Unpooled.copiedBuffer(new byte[10]));

      assertThat(lingers(control, 1)).isTrue();
      assertThat(lingers(data, 1)).isTrue();
      assertThat(lingers(otherData, 1)).as("it has nothing").isFalse();
      assertThat(lingers(another, 1)).as("another route, opened at the same time").isFalse();
      assertThat(control.lingers(RelayTarget.Direction.TO_CLIENT, 0)).isFalse();
      assertThat(lingers(control, 31)).as("too long").isFalse();
      now += TimeUnit.SECONDS.toNanos(2);
      holding.open(open, ALICE, CLIENT);
      now += TimeUnit.SECONDS.toNanos(2);
      assertThat(lingers(control, 3)).as("the client has just come again").isTrue();
      now += TimeUnit.SECONDS.toNanos(2);
      assertThat(lingers(control, 5)).as("it waits").isFalse();
      backlog.close();
      assertThat(lingers(control, 1)).isFalse();
    } finally {
      loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    }
  }

  @Test
  void whatIsLeftOfAConnectionGoesOnForThirtySeconds(@TempDir Path directory) throws Exception {
    Spool spool = new Spool(directory, ByteSize.ofBytes(1 << 20));
    spool.open().close();
    EventLoop loop = new DefaultEventLoop();
    try (PassingSpool passing =
        new PassingSpool(spool, new SpoolQuota(ByteSize.ofBytes(1 << 20)), () -> now)) {
      Relay holding =
          new Relay(
              true, DialRule.ANYWHERE, NO_RATES, RelayParts.PLAIN, Optional.of(passing), () -> now);
      RelayTarget data =
          holding.connect(joinData(holding.open(to("192.0.2.7", 1), ALICE, CLIENT), 0));
      Backlog backlog =
          data.backlog(
                  RelayTarget.Direction.TO_TARGET,
                  loop,
                  UnpooledByteBufAllocator.DEFAULT,
                  new NoListener())
              .get();
      backlog.add(Unpooled.copiedBuffer(new byte[10]));

      assertThat(lingers(data, 30)).isTrue();
      assertThat(lingers(data, 31)).isFalse();
      backlog.close();
    } finally {
      loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    }
  }

  private static boolean lingers(RelayTarget target, int goneSeconds) {
    return target.lingers(RelayTarget.Direction.TO_TARGET, TimeUnit.SECONDS.toNanos(goneSeconds));
  }

  private static final class NoListener implements Backlog.Listener {
    @Override
    public void changed() {}

    @Override
    public void failed(FdtException cause) {
      throw new AssertionError(cause);
    }
  }
}
