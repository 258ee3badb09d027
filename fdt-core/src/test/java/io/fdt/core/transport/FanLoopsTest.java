package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.Join;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Fans at a listener with several event loops. */
class FanLoopsTest {
  private static final int STREAMS = 12;
  private static final int FRAMES = 20;

  private final EventLoops loops = new EventLoops("test-client");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

  /** Connections come to any of the loops; those of one fan move to one. */
  @Test
  void connectionsOfManyEventLoopsBecomeOneChannel() throws Exception {
    Streams atServer = new Streams();
    Streams atClient = new Streams();
    AtomicInteger released = new AtomicInteger();
    EventLoops many =
        new EventLoops(
            new MultiThreadIoEventLoopGroup(
                4, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory()));
    Transport client =
        new TcpTransport(loops, allocator, Streams.DEADLINE, Optional.empty(), new Fan(5, 1));
    try (TestServer server =
        new TestServer(
            many,
            TcpTransport::new,
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
