package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.Join;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class StreamLoopsTest {
  private static final int LOOPS = 4;

  @Test
  void theStreamsOfOneSessionUseAllLoopsOfBothEnds() throws Exception {
    Streams atServer = new Streams();
    Streams atClient = new Streams();
    Map<Integer, Thread> serverThreads = new ConcurrentHashMap<>();
    Map<Integer, Thread> clientThreads = new ConcurrentHashMap<>();
    UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    try (EventLoops loops = loops();
        TestServer server =
            new TestServer(
                loops(),
                TcpTransport::new,
                Streams.DEADLINE,
                connection -> new Collected(),
                noting(serverThreads, atServer))) {
      Transport client = new TcpTransport(loops, memory, Streams.DEADLINE);
      for (int number = 0; number < 2 * LOOPS; number++) {
        Join join = Join.prove(TestServer.SESSION, number, TestServer.SECRET);
        client
            .dialData(server.address())
            .thenCompose(
                connection ->
                    connection.join(
                        join,
                        TestServer.SETTINGS,
                        Optional.empty(),
                        false,
                        noting(clientThreads, atClient)))
            .get(Streams.DEADLINE.toSeconds(), TimeUnit.SECONDS);
      }
      atServer.awaitOpen(2 * LOOPS);
    }

    assertThat(serverThreads.values()).hasSize(2 * LOOPS);
    assertThat(serverThreads.values().stream().distinct()).hasSize(LOOPS);
    assertThat(clientThreads.values().stream().distinct()).hasSize(LOOPS);
  }

  private static EventLoops loops() {
    IoHandlerFactory handlers =
        EventLoops.isNative() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new EventLoops(new MultiThreadIoEventLoopGroup(LOOPS, handlers));
  }

  /** Notes the loop that each stream begins on. */
  private static Function<DataStream, DataStream.Handler> noting(
      Map<Integer, Thread> threads, Streams streams) {
    return stream -> {
      threads.put(stream.number(), Thread.currentThread());
      return streams.open(stream);
    };
  }
}
