package io.fdt.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fdt.core.engine.PlatformThreads;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.AddressRange;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.DialRule;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.Collected;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.TestServer;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.control.Hello;
import io.fdt.udt.transport.UdtTransport;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A name whose first addresses do not answer. A connection may take longer than each test. */
@EnabledOnOs(OS.LINUX)
@Timeout(30)
class DeadAddressTest {
  private static final Duration LONGER_THAN_THE_TEST = Duration.ofMinutes(10);

  private final EventLoops loops = new EventLoops("test-client");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final List<AutoCloseable> open = new ArrayList<>();
  private TestServer server;

  @BeforeEach
  void serve() throws Exception {
    server =
        new TestServer(
            UdtTransport.TCP_AND_UDP,
            Duration.ofSeconds(20),
            connection -> new Collected(),
            stream -> {
              throw new AssertionError("no stream is dialled here");
            });
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    server.close();
    loops.close();
    TestServer.awaitEmpty(allocator);
  }

  /** Its queue of connections is full: it answers no packet. */
  private InetAddress dead(String address) throws IOException {
    InetAddress dead = InetAddress.getByName(address);
    int port = server.address().getPort();
    open.add(new ServerSocket(port, 1, dead));
    for (int i = 0; i < 4; i++) {
      Socket fills = new Socket();
      open.add(fills);
      try {
        fills.connect(new InetSocketAddress(dead, port), 200);
      } catch (IOException e) {
        break; // it is full
      }
    }
    return dead;
  }

  private Dialer dialer(Transport.Factory factory, DialRule rule, InetAddress... addresses) {
    Node node =
        new Node(
            loops,
            PlatformThreads.INSTANCE,
            allocator,
            factory.create(loops, allocator, LONGER_THAN_THE_TEST),
            host -> addresses);
    return new Dialer(
        node,
        "server.example",
        server.address().getPort(),
        CompletableFuture.completedFuture(new ClientTls(List.of(), Optional.empty())),
        (host, port, certificates) -> {},
        shown -> Hello.newBuilder(),
        rule,
        false,
        LONGER_THAN_THE_TEST,
        SessionDeadlines.DEFAULT);
  }

  @Test
  void aServerIsReachedThoughItsFirstAddressesAreDead() throws Exception {
    InetAddress live = server.address().getAddress();
    Dialer dialer = dialer(Node.TCP, DialRule.ANYWHERE, dead("127.0.0.2"), dead("127.0.0.3"), live);

    Dialer.Dialed dialed =
        assertTimeoutPreemptively(
            Duration.ofSeconds(15),
            () -> dialer.dial(loops.next(), (peer, roundTrip) -> {}, control -> new Collected()));

    assertThat(dialed.peer()).isEqualTo(server.address());
    dialed.control().close();
  }

  @Test
  void udpPassesThoughTheFirstAddressIsDead() throws Exception {
    InetAddress dead = InetAddress.getByName("127.0.0.2");
    open.add(new DatagramSocket(new InetSocketAddress(dead, server.address().getPort())));
    InetAddress live = server.address().getAddress();

    assertThat(
            UdpReach.ask(
                dialer(UdtTransport.UDP, DialRule.ANYWHERE, dead, live),
                UdtTransport.UDP,
                Duration.ofSeconds(15)))
        .isPositive();
  }

  @Test
  void addressesThatTheRuleForbidsAreLeftOut() throws Exception {
    InetAddress live = server.address().getAddress();
    InetAddress other = InetAddress.getByName("127.0.0.9");
    DialRule rule = DialRule.only(List.of(AddressRange.parse(live.getHostAddress())));

    Dialer.Dialed dialed =
        dialer(Node.TCP, rule, other, live)
            .dial(loops.next(), (peer, roundTrip) -> {}, control -> new Collected());
    assertThat(dialed.peer()).isEqualTo(server.address());
    dialed.control().close();

    Dialer forbidden = dialer(Node.TCP, rule, other);
    assertThatThrownBy(
            () -> forbidden.dial(loops.next(), (peer, roundTrip) -> {}, control -> new Collected()))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
  }
}
