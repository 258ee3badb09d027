package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.TestServer;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What data streams over TCP do besides what every transport does. */
class TcpStreamTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final int PAYLOAD = 1 << 20;

  private final EventLoops loops = new EventLoops("test-client");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final Transport client = new TcpTransport(loops, allocator, DEADLINE);
  private final AtomicLong received = new AtomicLong();
  private final CompletableFuture<DataStream> atServer = new CompletableFuture<>();
  private final CompletableFuture<FdtException> closed = new CompletableFuture<>();
  private final TestServer server;

  TcpStreamTest() throws FdtException {
    server =
        new TestServer(
            TcpTransport::new,
            DEADLINE,
            connection -> {
              throw new AssertionError("no control connection is dialed here");
            },
            stream -> {
              atServer.complete(stream);
              return new Counting(new CompletableFuture<>());
            });
  }

  @AfterEach
  void nothingIsLeft() {
    server.close();
    loops.close();
    TestServer.awaitEmpty(allocator);
  }

  private final class Counting implements DataStream.Handler {
    private final CompletableFuture<FdtException> end;

    Counting(CompletableFuture<FdtException> end) {
      this.end = end;
    }

    @Override
    public void frame(ReceivedFrame frame) {
      frame.release();
      received.incrementAndGet();
    }

    @Override
    public void writable() {}

    @Override
    public void closed(FdtException cause) {
      end.complete(cause);
    }
  }

  @Test
  void framesAreReadToTheirPlace() throws Exception {
    DataStream stream = join();
    int frames = 12;
    for (int n = 0; n < frames; n++) {
      stream.sendAndRelease(frame(n), () -> {});
      atServer.get(DEADLINE.toSeconds(), TimeUnit.SECONDS).sendAndRelease(frame(n), () -> {});
    }
    awaitFrames(2L * frames);
    for (DataStream end : new DataStream[] {stream, atServer.join()}) {
      assertThat(((TcpStream) end).copiedBytes())
          .as("copied of %d bytes", end.wireBytes())
          .isLessThan(PAYLOAD / 8);
    }
  }

  @Test
  void theSystemSaysWhatAStreamDoes() throws Exception {
    Assumptions.assumeTrue(Epoll.isAvailable(), "only epoll can ask");
    DataStream stream = join();
    stream.sendAndRelease(frame(0), () -> {});
    awaitFrames(1);
    PathState state = stream.pathState().orElseThrow();
    assertThat(state.segments()).isBetween(1L, 1L + PAYLOAD / 500);
    assertThat(state.roundTripMicros()).isBetween(1L, 1_000_000L);
    assertThat(state.leastRoundTripMicros()).isBetween(1L, state.roundTripMicros() * 10);
    // The kernel counts these in ticks of its clock, and all may be over within one.
    long tick = 10_000;
    assertThat(state.busyMicros()).isBetween(0L, DEADLINE.toNanos() / 1000);
    assertThat(state.receiveWindowMicros() + state.sendBufferMicros())
        .isBetween(0L, state.busyMicros() + tick);
    stream.close();
    closed.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    assertThat(stream.pathState()).isEmpty();
  }

  @Test
  void aStreamUsesTheCongestionControlThatIsAskedFor() throws Exception {
    Assumptions.assumeTrue(Epoll.isAvailable(), "only Linux lets streams choose");
    DataStream stream = join();
    String systems = stream.congestion();
    assertThat(systems).isNotEmpty();

    // Every Linux has reno, and lets everybody use it.
    assertThat(stream.setCongestion("reno")).isTrue();
    assertThat(stream.congestion()).isEqualTo("reno");
    assertThat(stream.setCongestion("nobodys")).isFalse();
    assertThat(stream.congestion()).isEqualTo("reno");
    assertThat(stream.setCongestion("")).isTrue();
    assertThat(stream.congestion()).isEqualTo(systems);
  }

  private DataStream join() throws Exception {
    return client
        .dialData(server.address())
        .thenCompose(
            line ->
                line.join(
                    Join.prove(TestServer.SESSION, 0, TestServer.SECRET),
                    TestServer.SETTINGS,
                    Optional.empty(),
                    false,
                    stream -> new Counting(closed)))
        .get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  private void awaitFrames(long count) {
    Awaitility.await().atMost(DEADLINE).until(() -> received.get() == count);
  }

  /** A frame of zeros, whose checksum does not matter here. */
  private ByteBuf frame(long number) {
    ByteBuf frame = allocator.directBuffer(FrameHeader.LENGTH + PAYLOAD);
    frame.writeZero(FrameHeader.LENGTH + PAYLOAD);
    FrameHeader.block(number, 1, 0, PAYLOAD, 0).writeAt(frame, 0);
    return frame;
  }
}
