package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.TcpState;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Data streams over loopback; each test ends with all buffers released at both ends. */
class TcpStreamTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final int PAYLOAD = 1 << 20;

  private final EventLoops loops = new EventLoops("test-client");
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final TcpClient client = new TcpClient(loops, allocator, DEADLINE);
  private final Ends atServer = new Ends();
  private final Ends atClient = new Ends();
  private final TestServer server;

  TcpStreamTest() throws FdtException {
    server =
        new TestServer(
            DEADLINE,
            connection -> {
              throw new AssertionError("no control connection is dialed here");
            },
            atServer::open);
  }

  @AfterEach
  void nothingIsLeft() {
    server.close();
    loops.close();
    TestServer.awaitEmpty(allocator);
  }

  /** The streams of one side: counts intact frames, which must come in order. */
  private static final class Ends {
    final Map<Integer, DataStream> streams = new ConcurrentHashMap<>();
    final Map<Integer, CompletableFuture<FdtException>> closed = new ConcurrentHashMap<>();
    final AtomicLong frames = new AtomicLong();
    final AtomicLong bytes = new AtomicLong();
    final List<String> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
    volatile boolean paused;
    volatile FdtException refusal;

    DataStream.Handler open(DataStream stream) {
      CompletableFuture<FdtException> end = new CompletableFuture<>();
      closed.put(stream.number(), end);
      streams.put(stream.number(), stream);
      if (paused) {
        stream.setReading(false);
      }
      return new DataStream.Handler() {
        private long next;

        @Override
        public void frame(ReceivedFrame frame) throws FdtException {
          if (!frame.isIntact() || frame.header().number() != next++) {
            wrong.add(stream.number() + ": " + frame.header());
          }
          bytes.addAndGet(frame.payload().readableBytes());
          frame.release();
          frames.incrementAndGet();
          if (refusal != null) {
            throw refusal;
          }
        }

        @Override
        public void writable() {}

        @Override
        public void closed(FdtException cause) {
          assertThat(end.complete(cause)).as("closed once").isTrue();
        }
      };
    }

    FdtException end(int stream) throws Exception {
      return closed.get(stream).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    void awaitFrames(long count) {
      Awaitility.await().atMost(DEADLINE).until(() -> frames.get() >= count);
      assertThat(wrong).isEmpty();
      assertThat(frames.get()).isEqualTo(count);
    }
  }

  @Test
  void largeFramesArriveIntactBothWaysOnManyStreams() throws Exception {
    int streams = 4;
    int frames = 12;
    for (int number = 0; number < streams; number++) {
      join(number);
    }
    Awaitility.await().atMost(DEADLINE).until(() -> atServer.streams.size() == streams);
    CountDownLatch released = new CountDownLatch(2 * streams * frames);
    for (int n = 0; n < frames; n++) {
      for (int number = 0; number < streams; number++) {
        int length = n % 3 == 0 ? n : PAYLOAD - n;
        atClient.streams.get(number).sendAndRelease(frame(n, length), released::countDown);
        atServer.streams.get(number).sendAndRelease(frame(n, length), released::countDown);
      }
    }
    atServer.awaitFrames((long) streams * frames);
    atClient.awaitFrames((long) streams * frames);
    assertThat(released.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(atServer.bytes.get()).isEqualTo(atClient.bytes.get());
    for (Ends end : List.of(atServer, atClient)) {
      for (DataStream stream : end.streams.values()) {
        assertThat(((TcpStream) stream).copiedBytes())
            .as("copied of %d bytes on stream %d", stream.wireBytes(), stream.number())
            .isLessThan(PAYLOAD / 8);
      }
    }
    DataStream one = atClient.streams.get(0);
    assertThat(one.wireBytes()).isEqualTo(atServer.streams.get(0).wireBytes());
  }

  @Test
  void framesLeaveBehindTheJoinAndWaitInTheSocketUntilItIsDecidedOn() throws Exception {
    server.beforeSeats = new CompletableFuture<>();
    CompletableFuture<DataStream> accepted = begin(0);
    Awaitility.await().atMost(DEADLINE).until(() -> atClient.streams.containsKey(0));
    DataStream early = atClient.streams.get(0);
    int frames = 40;
    CountDownLatch released = new CountDownLatch(frames);
    for (int n = 0; n < frames; n++) {
      early.sendAndRelease(frame(n, PAYLOAD), released::countDown);
    }
    assertThat(server.allocator.metric().usedDirectMemory()).isLessThan(PAYLOAD);
    assertThat(atServer.streams).isEmpty();
    assertThat(accepted).isNotDone();
    server.beforeSeats.complete(null);
    atServer.awaitFrames(frames);
    assertThat(accepted.get(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isSameAs(early);
    assertThat(released.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aStreamThatIsRefusedAfterItHasBegunSaysWhyItEnds() throws Exception {
    server.refusal = new FdtException(ErrorCode.BUSY, "no place");
    CompletableFuture<DataStream> refused = begin(0);
    Awaitility.await().atMost(DEADLINE).until(() -> atClient.closed.containsKey(0));
    assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.BUSY);
    assertThat(refused).isCompletedExceptionally();
  }

  @Test
  void aConnectionThatGoesWhileItsJoinWaitsTakesNoPlace() throws Exception {
    Assumptions.assumeTrue(Epoll.isAvailable(), "only epoll tells who does not read");
    server.beforeSeats = new CompletableFuture<>();
    CompletableFuture<DataStream> gone = begin(0);
    Awaitility.await().atMost(DEADLINE).until(() -> atClient.streams.containsKey(0));
    atClient.streams.get(0).close();
    Awaitility.await().atMost(DEADLINE).until(() -> server.beforeSeats.isCancelled());
    assertThat(gone).isCompletedExceptionally();
    server.beforeSeats = CompletableFuture.completedFuture(null);
    join(1);
    assertThat(server.seats()).isEqualTo(1);
  }

  @Test
  void aJoinOnAConnectionThatIsClosedFailsAtOnceAndHasNoStream() throws Exception {
    DataConnection line =
        client.connectData(server.address()).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    line.close();
    CompletableFuture<DataStream> joined =
        line.join(
            Join.prove(TestServer.SESSION, 0, TestServer.SECRET),
            TestServer.SETTINGS,
            Optional.empty(),
            false,
            atClient::open);
    assertThatThrownBy(() -> joined.get(DEADLINE.toSeconds(), TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    assertThat(atClient.streams).isEmpty();
  }

  @Test
  void theSystemSaysWhatAStreamDoes() throws Exception {
    Assumptions.assumeTrue(Epoll.isAvailable(), "only epoll can ask");
    DataStream stream = join(0);
    stream.sendAndRelease(frame(0, PAYLOAD), () -> {});
    atServer.awaitFrames(1);
    TcpState state = stream.tcpState().orElseThrow();
    assertThat(state.segments()).isBetween(1L, 1L + PAYLOAD / 500);
    assertThat(state.roundTripMicros()).isBetween(1L, 1_000_000L);
    assertThat(state.leastRoundTripMicros()).isBetween(1L, state.roundTripMicros() * 10);
    // The kernel counts these in ticks of its clock, and all may be over within one.
    long tick = 10_000;
    assertThat(state.busyMicros()).isBetween(0L, DEADLINE.toNanos() / 1000);
    assertThat(state.receiveWindowMicros() + state.sendBufferMicros())
        .isBetween(0L, state.busyMicros() + tick);
    stream.close();
    atClient.end(0);
    assertThat(stream.tcpState()).isEmpty();
  }

  @Test
  void aStreamUsesTheCongestionControlThatIsAskedFor() throws Exception {
    Assumptions.assumeTrue(Epoll.isAvailable(), "only Linux lets streams choose");
    DataStream stream = join(0);
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

  @Test
  void aStreamThatWaitsForTheAnswerCarriesAndIsRefusedAsWell() throws Exception {
    waits = true;
    DataStream stream = join(0);
    stream.sendAndRelease(frame(0, PAYLOAD), () -> {});
    atServer.awaitFrames(1);
    refused(Join.prove(TestServer.SESSION, 1, new byte[] {1}));
    assertThat(atClient.closed).as("nobody had the refused one").containsOnlyKeys(0);
  }

  @Test
  void aJoinWithTheWrongProofIsRefused() {
    Join wrong = Join.prove(TestServer.SESSION, 0, new byte[] {1});
    refused(wrong);
  }

  @Test
  void aJoinOfAnotherSessionIsRefused() {
    refused(Join.prove(new io.fdt.core.wire.SessionId(3, 4), 0, TestServer.SECRET));
  }

  @Test
  void aJoinThatIsReplayedIsRefusedAndTheFirstOneGoesOn() throws Exception {
    DataStream first = join(7);
    refused(Join.prove(TestServer.SESSION, 7, TestServer.SECRET));
    first.sendAndRelease(frame(0, 10), () -> {});
    atServer.awaitFrames(1);
  }

  @Test
  void aStreamThatIsNotReadStopsItsPeer() throws Exception {
    atServer.paused = true;
    DataStream stream = join(0);
    int frames = 64;
    CountDownLatch released = new CountDownLatch(frames);
    for (int n = 0; n < frames; n++) {
      stream.sendAndRelease(frame(n, PAYLOAD), released::countDown);
    }
    atServer.paused = false;
    DataStream other = join(1);
    for (int n = 0; n < 200; n++) {
      long before = atServer.frames.get();
      other.sendAndRelease(frame(n, PAYLOAD / 4), () -> {});
      Awaitility.await()
          .pollInterval(Duration.ofMillis(1))
          .atMost(DEADLINE)
          .until(() -> atServer.frames.get() > before);
    }
    assertThat(atServer.frames.get()).as("frames of the stream that is read").isEqualTo(200);
    assertThat(stream.isWritable()).isFalse();
    assertThat(released.getCount())
        .as("frames that wait, beyond what the sockets' buffers hold")
        .isGreaterThan(frames / 2);

    atServer.streams.get(0).setReading(true);
    atServer.awaitFrames(200 + frames);
    assertThat(released.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aFrameOnAClosedStreamIsReleased() throws Exception {
    DataStream stream = join(0);
    stream.close();
    stream.close();
    assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
    CountDownLatch released = new CountDownLatch(1);
    ByteBuf frame = frame(0, 1000);
    stream.sendAndRelease(frame, released::countDown);
    assertThat(released.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(frame.refCnt()).isZero();
    assertThat(atServer.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
  }

  @Test
  void closingReleasesWhatWaits() throws Exception {
    atServer.paused = true;
    DataStream stream = join(0);
    CountDownLatch released = new CountDownLatch(30);
    for (int n = 0; n < 30; n++) {
      stream.sendAndRelease(frame(n, PAYLOAD), released::countDown);
    }
    stream.close();
    assertThat(released.await(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aDamagedHeaderClosesTheStream() throws Exception {
    DataStream stream = join(0);
    ByteBuf frame = frame(0, 100);
    frame.setByte(9, 1);
    stream.sendAndRelease(frame, () -> {});
    assertThat(atServer.end(0).code()).isEqualTo(ErrorCode.PROTOCOL);
    assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(atServer.frames.get()).isZero();
  }

  @Test
  void aHandlerThatRefusesAFrameClosesTheStream() throws Exception {
    atServer.refusal = new FdtException(ErrorCode.PROTOCOL, "no frames here");
    DataStream stream = join(0);
    stream.sendAndRelease(frame(0, 100), () -> {});
    stream.sendAndRelease(frame(1, 100), () -> {});
    assertThat(atServer.end(0)).isSameAs(atServer.refusal);
    assertThat(atClient.end(0).code()).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(atServer.frames.get()).isEqualTo(1);
  }

  @Test
  void aFrameThatIsLongerThanAgreedClosesTheStream() throws Exception {
    DataStream stream = join(0);
    stream.sendAndRelease(frame(0, PAYLOAD + 1), () -> {});
    assertThat(atServer.end(0).code()).isEqualTo(ErrorCode.PROTOCOL);
  }

  private DataStream join(int number) throws Exception {
    return begin(number).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Whether clients wait for the server's answer before they send. */
  private boolean waits;

  private CompletableFuture<DataStream> begin(int number) {
    return client
        .connectData(server.address())
        .thenCompose(
            line ->
                line.join(
                    Join.prove(TestServer.SESSION, number, TestServer.SECRET),
                    TestServer.SETTINGS,
                    Optional.empty(),
                    waits,
                    atClient::open));
  }

  private void refused(Join join) {
    assertThatThrownBy(
            () ->
                client
                    .connectData(server.address())
                    .thenCompose(
                        line ->
                            line.join(
                                join, TestServer.SETTINGS, Optional.empty(), waits, atClient::open))
                    .get(DEADLINE.toSeconds(), TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
  }

  private ByteBuf frame(long number, int length) {
    byte[] payload = new byte[length];
    new Random(number).nextBytes(payload);
    ByteBuf frame = allocator.directBuffer(FrameHeader.LENGTH + length);
    frame.writerIndex(FrameHeader.LENGTH).writeBytes(payload);
    int crc = Crc32c.of(frame, FrameHeader.LENGTH, length);
    FrameHeader.block(number, 1, 0, length, crc).writeAt(frame, 0);
    return frame;
  }
}
