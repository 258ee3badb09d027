package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.Backlog;
import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.OnlyRelay;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.transport.TestServer;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.socket.CongestionControl;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.Preface;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a relay does with a client and a target that are not friendly. */
class RelayingTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** For the target to take what is left when its client has gone. */
  private static final Duration REST = Duration.ofSeconds(2);

  /** The relay holds no more than 1 MiB for one side. */
  private static final long HALF_OF_THE_RELAYS = 1 << 19;

  private static final ServerTls TLS = new ServerTls(Identity.generate(), List.of());

  private final EventLoops loops = new EventLoops("test-relay");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final ServerSocket target = new ServerSocket();
  private final Target route = new Target();
  private Transport.Listener relay;

  RelayingTest() throws IOException {}

  @BeforeEach
  void start() throws Exception {
    target.setReceiveBufferSize(4096);
    target.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    relay =
        new TcpTransport(loops, allocator, REST)
            .listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ListenSettings(CompletableFuture.completedFuture(TLS), 512, REST),
                new OnlyRelay(join -> route));
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    relay.close();
    loops.close();
    target.close();
    TestServer.awaitEmpty(allocator);
  }

  private final class Target implements RelayTarget {
    private final CompletableFuture<Void> paused = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile Duration longestSilence = Duration.ofMinutes(10);
    private volatile long pauseNanos;
    private volatile String congestion = "";
    private final Map<Direction, String> used = new ConcurrentHashMap<>();

    @Override
    public Optional<ChannelDialer> datagrams() {
      return Optional.empty();
    }

    @Override
    public InetSocketAddress address() {
      return (InetSocketAddress) target.getLocalSocketAddress();
    }

    @Override
    public String congestion(Direction direction) {
      return direction == Direction.TO_TARGET ? congestion : "";
    }

    @Override
    public void closedBy(Runnable close) {}

    @Override
    public Optional<Backlog> backlog(
        Direction direction, EventLoop loop, ByteBufAllocator memory, Backlog.Listener listener) {
      return Optional.empty();
    }

    @Override
    public boolean lingers(Direction direction, long goneNanos) {
      return false;
    }

    @Override
    public long longestSilenceNanos() {
      return longestSilence.toNanos();
    }

    @Override
    public void passed(Direction direction, int bytes) {}

    @Override
    public void held(Direction direction, long nanos) {}

    @Override
    public void seen(Direction direction, PathState state, String used) {
      this.used.put(direction, used);
    }

    @Override
    public long nanosToWait() {
      if (pauseNanos > 0) {
        paused.complete(null);
      }
      return pauseNanos;
    }

    @Override
    public void ended() {
      ended.complete(null);
    }
  }

  /** A connection that the relay passes on to the target. */
  private Socket client() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), relay.address().getPort());
    socket.setSoTimeout(Math.toIntExact(DEADLINE.toMillis()));
    ByteBuf hello = Unpooled.buffer();
    Preface.of(Preface.Kind.RELAY).write(hello);
    Join.prove(TestServer.SESSION, 0, TestServer.SECRET).write(hello);
    hello.readBytes(socket.getOutputStream(), hello.readableBytes());
    byte[] answers = socket.getInputStream().readNBytes(Preface.LENGTH + JoinAnswer.LENGTH);
    assertThat(answers).hasSize(Preface.LENGTH + JoinAnswer.LENGTH);
    return socket;
  }

  @Test
  void aTargetThatTakesNothingIsLeftSoonAfterItsClientHasGone() throws Exception {
    Socket client = client();
    try (Socket far = target.accept()) {
      Thread writer = new Thread(() -> writeForEver(client), "test-writer");
      writer.start();
      Awaitility.await()
          .atMost(DEADLINE)
          .until(() -> allocator.metric().usedDirectMemory() >= HALF_OF_THE_RELAYS);

      client.setSoLinger(true, 0); // it does not say goodbye
      client.close();
      writer.join(DEADLINE.toMillis());
      route.ended.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

      TestServer.awaitEmpty(allocator);
      assertThat(far.isClosed()).as("the target holds on").isFalse();
    }
  }

  private static void writeForEver(Socket client) {
    byte[] bytes = new byte[1 << 16];
    try {
      while (true) {
        client.getOutputStream().write(bytes);
      }
    } catch (IOException e) {
      return; // it was closed
    }
  }

  @Test
  void aLimitThatIsLiftedHoldsNobodyBack() throws Exception {
    try (Socket client = client();
        Socket far = target.accept()) {
      far.setSoTimeout(Math.toIntExact(DEADLINE.toMillis()));
      route.pauseNanos = TimeUnit.HOURS.toNanos(1);
      client.getOutputStream().write(1);
      assertThat(far.getInputStream().read()).isEqualTo(1);
      route.paused.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);

      route.pauseNanos = 0;
      client.getOutputStream().write(2);

      assertThat(far.getInputStream().read()).isEqualTo(2);
    }
  }

  /** A relay may find out in mid-connection that another one carries more. */
  @Test
  void congestionControlChangesForOneDirectionAndBack() throws Exception {
    assumeTrue(EventLoops.isNative() && CongestionControl.isUsable("reno"), "no reno here");
    try (Socket client = client()) {
      assertThat(client.isConnected()).isTrue();
      String system = used(RelayTarget.Direction.TO_TARGET, name -> true);
      assumeFalse(system.equals("reno"), "reno is what the system takes by itself");
      route.congestion = "reno";
      assertThat(used(RelayTarget.Direction.TO_TARGET, "reno"::equals)).isEqualTo("reno");
      assertThat(used(RelayTarget.Direction.TO_CLIENT, name -> true)).isEqualTo(system);
      route.congestion = "";
      assertThat(used(RelayTarget.Direction.TO_TARGET, system::equals)).isEqualTo(system);
    }
  }

  private String used(RelayTarget.Direction direction, Predicate<String> isRight) {
    return Awaitility.await()
        .atMost(DEADLINE)
        .until(
            () -> route.used.getOrDefault(direction, ""),
            name -> !name.isEmpty() && isRight.test(name));
  }

  /** Neither end goes on, and neither says so: a network that drops all packets. */
  @Test
  void aConnectionThatIsStuckIsClosed() throws Exception {
    route.longestSilence = Duration.ofMillis(100);
    try (Socket client = client();
        Socket far = target.accept()) {
      far.setSoTimeout(Math.toIntExact(DEADLINE.toMillis()));
      assertThat(far.getInputStream().read()).isEqualTo(-1);
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      route.ended.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** One end takes nothing, and goes on sending. */
  @Test
  void aConnectionThatIsStuckInOneDirectionIsClosed() throws Exception {
    route.longestSilence = Duration.ofMillis(300);
    try (Socket client = client();
        Socket far = target.accept()) {
      Thread writer = new Thread(() -> writeForEver(client), "test-writer");
      Thread answers = new Thread(() -> writeForEver(far), "test-answers");
      writer.start();
      answers.start();
      long begun = System.nanoTime();
      while (takesMore(client)) {
        assertThat(System.nanoTime() - begun).isLessThan(DEADLINE.toNanos());
      }
      route.ended.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
      writer.join(DEADLINE.toMillis());
      answers.join(DEADLINE.toMillis());
    }
  }

  private static boolean takesMore(Socket client) throws IOException {
    try {
      return client.getInputStream().read(new byte[1 << 12]) >= 0;
    } catch (SocketException e) {
      return false; // it was reset
    }
  }
}
