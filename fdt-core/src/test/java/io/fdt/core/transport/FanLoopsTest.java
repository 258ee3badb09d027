package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.transport.udp.UdtTransport;
import io.fdt.core.udt.UdtSettings;
import io.fdt.core.wire.Join;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fans at a listener with several event loops. */
class FanLoopsTest {
  private static final int STREAMS = 12;
  private static final int FRAMES = 20;

  private final EventLoops loops = new EventLoops("test-client");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

  private static Transport tcp(
      EventLoops loops, ByteBufAllocator allocator, Duration timeout, Fan fan) {
    return new TcpTransport(loops, allocator, timeout, Optional.empty(), fan);
  }

  private static Transport udt(
      EventLoops loops, ByteBufAllocator allocator, Duration timeout, Fan fan) {
    return new UdtTransport(
        loops,
        allocator,
        timeout,
        new TcpTransport(loops, allocator, timeout),
        UdtSettings.DEFAULT,
        UdtTransport.Dials.UDP,
        Optional.empty(),
        fan);
  }

  private interface Fanned {
    Transport create(EventLoops loops, ByteBufAllocator allocator, Duration timeout, Fan fan);
  }

  /** Connections come to any of the loops, and stay there. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void connectionsOfManyEventLoopsBecomeOneChannel(boolean overUdp) throws Exception {
    Fanned transport = overUdp ? FanLoopsTest::udt : FanLoopsTest::tcp;
    Streams atServer = new Streams();
    Streams atClient = new Streams();
    AtomicInteger released = new AtomicInteger();
    EventLoops many =
        new EventLoops(
            new MultiThreadIoEventLoopGroup(
                4, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory()));
    Transport client = transport.create(loops, allocator, Streams.DEADLINE, new Fan(5, 1));
    try (TestServer server =
        new TestServer(
            many,
            (own, memory, timeout) -> transport.create(own, memory, timeout, Fan.NONE),
            Streams.DEADLINE,
            connection -> new Collected(),
            atServer::open)) {
      for (int number = 0; number < STREAMS; number++) {
        Join join = Join.prove(TestServer.SESSION, number, TestServer.SECRET);
        DataStream stream =
            client
                .dialData(server.address())
                .thenCompose(
                    line ->
                        line.join(
                            join, TestServer.SETTINGS, Optional.empty(), false, atClient::open))
                .get(20, TimeUnit.SECONDS);
        for (int n = 0; n < FRAMES; n++) {
          stream.sendAndRelease(
              Streams.frame(n, 300_000 + n, allocator), released::incrementAndGet);
        }
      }
      atServer.awaitFrames((long) STREAMS * FRAMES);
      atServer.assertNothingWrong();
      atClient.assertNothingWrong();
      Awaitility.await()
          .atMost(Streams.DEADLINE)
          .untilAsserted(() -> assertThat(released).hasValue(STREAMS * FRAMES));
    }
    loops.close();
    TestServer.awaitEmpty(allocator);
  }
}
