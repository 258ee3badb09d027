package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/**
 * The streams of one side: compares each frame with what {@link #frame} makes, and counts. The
 * handlers run on event loops, everything else on any thread.
 */
final class Streams {
  static final Duration DEADLINE = Duration.ofSeconds(20);

  /** The longest payload that {@link TestServer} takes. */
  static final int PAYLOAD = TestServer.SETTINGS.maxPayload();

  final Map<Integer, DataStream> open = new ConcurrentHashMap<>();
  final Map<Integer, CompletableFuture<FdtException>> ends = new ConcurrentHashMap<>();
  final AtomicLong frames = new AtomicLong();
  final AtomicLong bytes = new AtomicLong();
  final AtomicLong damaged = new AtomicLong();
  final AtomicInteger timesClosed = new AtomicInteger();
  final AtomicInteger timesWritable = new AtomicInteger();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

  /** Whether streams are not read when they begin. */
  volatile boolean paused;

  /** What every frame is answered with. */
  volatile FdtException refusal;

  /** The frame that another thread sends as soon as this side has a stream. */
  volatile ByteBuf greeting;

  DataStream.Handler open(DataStream stream) {
    ends.put(stream.number(), new CompletableFuture<>());
    if (paused) {
      stream.setReading(false);
    }
    if (greeting != null) {
      CompletableFuture.runAsync(() -> stream.sendAndRelease(greeting, () -> {})).join();
    }
    open.put(stream.number(), stream);
    return new Handler(stream.number());
  }

  private final class Handler implements DataStream.Handler {
    private final int stream;
    private final Thread thread = Thread.currentThread();
    private long next;

    Handler(int stream) {
      this.stream = stream;
    }

    private void check(boolean expected, Object what) {
      if (!expected || Thread.currentThread() != thread) {
        wrong.add("stream " + stream + ": " + what + " on " + Thread.currentThread());
      }
    }

    @Override
    public void frame(ReceivedFrame frame) throws FdtException {
      FrameHeader header = frame.header();
      check(header.number() == next++, header);
      if (frame.isIntact()) {
        byte[] received = ByteBufUtil.getBytes(frame.payload());
        check(Arrays.equals(received, payload(header.number(), header.length())), header);
      } else {
        damaged.incrementAndGet();
      }
      bytes.addAndGet(frame.payload().readableBytes());
      frame.release();
      frames.incrementAndGet();
      if (refusal != null) {
        throw refusal;
      }
    }

    @Override
    public void writable() {
      check(true, "writable");
      timesWritable.incrementAndGet();
    }

    @Override
    public void closed(FdtException cause) {
      check(ends.get(stream).complete(cause), "closed twice");
      timesClosed.incrementAndGet();
    }
  }

  /** Why a stream has closed. */
  FdtException end(int stream) throws Exception {
    return ends.get(stream).get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  void awaitOpen(int count) {
    Awaitility.await().atMost(DEADLINE).until(() -> open.size() == count);
  }

  /** Waits for so many frames, and no more. */
  void awaitFrames(long count) {
    Awaitility.await("frames")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(5))
        .untilAsserted(() -> assertThat(frames).hasValueGreaterThanOrEqualTo(count));
    assertNothingWrong();
    assertThat(frames).hasValue(count);
  }

  void assertNothingWrong() {
    assertThat(wrong).isEmpty();
  }

  /** A frame whose payload follows from its number. */
  static ByteBuf frame(long number, int length, ByteBufAllocator allocator) {
    ByteBuf frame = allocator.directBuffer(FrameHeader.LENGTH + length);
    frame.writerIndex(FrameHeader.LENGTH).writeBytes(payload(number, length));
    int crc = Crc32c.of(frame, FrameHeader.LENGTH, length);
    FrameHeader.block(number, 1, 0, length, crc).writeAt(frame, 0);
    return frame;
  }

  private static byte[] payload(long number, int length) {
    byte[] payload = new byte[length];
    new Random(number).nextBytes(payload);
    return payload;
  }
}
