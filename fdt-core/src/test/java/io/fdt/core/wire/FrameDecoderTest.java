package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every test ends with all buffers released: those that it fed and those that the decoder made. */
class FrameDecoderTest {
  private static final int MAX_PAYLOAD = 1 << 20;
  private static ResourceLeakDetector.Level levelBefore;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final List<ByteBuf> fed = new ArrayList<>();
  private final List<ReceivedFrame> frames = new ArrayList<>();
  private final FrameDecoder decoder = new FrameDecoder(MAX_PAYLOAD);

  @BeforeAll
  static void detectLeaks() {
    levelBefore = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  @AfterAll
  static void restoreLevel() {
    ResourceLeakDetector.setLevel(levelBefore);
  }

  @AfterEach
  void everythingIsReleased() {
    frames.forEach(ReceivedFrame::release);
    decoder.close();
    assertThat(fed).allMatch(buf -> buf.refCnt() == 0);
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  @Test
  void aWholeFrameInOneBufferIsNotCopied() throws FdtException {
    byte[] payload = randomBytes(10_000, 1);
    ByteBuf in = buffer(frame(0, payload));
    long address = in.memoryAddress();

    decoder.feed(in, frames::add);

    ReceivedFrame frame = frames.get(0);
    assertThat(frame.header()).isEqualTo(headerOf(0, payload));
    assertThat(frame.isIntact()).isTrue();
    assertThat(frame.parts()).isEqualTo(1);
    assertThat(frame.part(0).memoryAddress()).isEqualTo(address + FrameHeader.LENGTH);
    assertThat(frame.contiguous()).isSameAs(frame.part(0));
    assertThat(ByteBufUtil.getBytes(frame.contiguous())).isEqualTo(payload);
  }

  @Test
  void aFrameOverSeveralFullBuffersHasOnePartForEachAndCopiesOnlyOnRequest() throws FdtException {
    byte[] payload = randomBytes(30_000, 2);
    byte[] wire = frame(0, payload);
    feed(wire, 0, 10_000);
    feed(wire, 10_000, 20_000);
    assertThat(frames).isEmpty();
    feed(wire, 20_000, wire.length);

    ReceivedFrame frame = frames.get(0);
    assertThat(frame.parts()).isEqualTo(3);
    assertThat(bytesOf(frame)).isEqualTo(payload);
    ByteBuf whole = frame.contiguous();
    assertThat(ByteBufUtil.getBytes(whole)).isEqualTo(payload);
    assertThat(frame.parts()).isEqualTo(1);
    assertThat(frame.contiguous()).isSameAs(whole);
    assertThat(frame.isIntact()).isTrue();
    assertThat(fed).allMatch(buf -> buf.refCnt() == 0);
    frame.release();
    assertThat(whole.refCnt()).isZero();
  }

  @Test
  void severalFramesInOneBufferComeInOrder() throws FdtException {
    byte[] wire = join(frame(0, randomBytes(100, 1)), idle(1), frame(2, new byte[0]));
    feed(join(wire, frame(3, randomBytes(5000, 2))));
    assertThat(frames).extracting(f -> f.header().number()).containsExactly(0L, 2L, 3L);
    assertThat(frames).allMatch(ReceivedFrame::isIntact);
    assertThat(decoder.nextNumber()).isEqualTo(4);
    assertThat(decoder.isBetweenFrames()).isTrue();
  }

  @Test
  void anEmptyPayloadIsAFrameWithoutParts() throws FdtException {
    feed(frame(0, new byte[0]));
    assertThat(frames.get(0).parts()).isZero();
    assertThat(frames.get(0).isIntact()).isTrue();
    assertThat(frames.get(0).contiguous().readableBytes()).isZero();
  }

  @Test
  void randomSplittingGivesTheSameFramesWithEveryAllocator() throws FdtException {
    long seed = 20261122;
    Random random = new Random(seed);
    ByteBufAllocator[] allocators = {
      allocator, new AdaptiveByteBufAllocator(true), new PooledByteBufAllocator(true)
    };
    for (int round = 0; round < 300; round++) {
      String description = "seed " + seed + " round " + round;
      List<byte[]> payloads = new ArrayList<>();
      byte[] wire = randomStream(random, payloads);
      List<ReceivedFrame> received = new ArrayList<>();
      List<ByteBuf> buffers = new ArrayList<>();
      FrameDecoder splitting = new FrameDecoder(MAX_PAYLOAD);
      int most = Math.max(1 << random.nextInt(17), wire.length / 200);
      for (int at = 0; at < wire.length; ) {
        int length = Math.min(wire.length - at, random.nextInt(most + 1));
        int room = length + random.nextInt(3) * random.nextInt(most * 4);
        ByteBuf in = allocators[round % 3].directBuffer(Math.max(1, room));
        buffers.add(in.writeBytes(wire, at, length));
        splitting.feed(in, received::add);
        at += length;
      }
      assertThat(received).as(description).hasSameSizeAs(payloads);
      for (int i = 0; i < payloads.size(); i++) {
        ReceivedFrame frame = received.get(i);
        assertThat(frame.isIntact()).as(description).isTrue();
        assertThat(frame.parts())
            .as(description)
            .isLessThanOrEqualTo(1 + payloads.get(i).length / ReceivedFrame.MIN_SLICE);
        assertThat(bytesOf(frame)).as(description).isEqualTo(payloads.get(i));
        assertThat(ByteBufUtil.getBytes(frame.contiguous())).isEqualTo(payloads.get(i));
        frame.release();
      }
      splitting.close();
      assertThat(buffers).as(description).allMatch(buf -> buf.refCnt() == 0);
    }
  }

  @Test
  void aTricklingPeerGetsFewPartsAndKeepsNoneOfItsBuffersAlive() throws FdtException {
    byte[] wire = frame(0, randomBytes(200_000, 5));
    int piece = 20;
    for (int at = 0; at < wire.length - piece; at += piece) {
      ByteBuf in = allocator.directBuffer(16 * 1024).writeBytes(wire, at, piece);
      decoder.feed(in, frames::add);
      assertThat(in.refCnt()).isZero();
    }
    assertThat(allocator.metric().usedDirectMemory()).isLessThanOrEqualTo(200_000);
    feed(wire, wire.length - piece, wire.length);
    assertThat(frames.get(0).parts()).isEqualTo(4);
    assertThat(frames.get(0).isIntact()).isTrue();
  }

  @Test
  void largeBuffersThatAreMostlyEmptyAreNotKept() throws FdtException {
    byte[] wire = frame(0, randomBytes(20_000, 6));
    ByteBuf in = allocator.directBuffer(MAX_PAYLOAD).writeBytes(wire);
    decoder.feed(in, frames::add);
    assertThat(in.refCnt()).isZero();
    assertThat(bytesOf(frames.get(0))).isEqualTo(randomBytes(20_000, 6));
  }

  @Test
  void announcingALargeFrameCostsLittleMemory() throws FdtException {
    byte[] wire = frame(0, new byte[MAX_PAYLOAD]);
    feed(wire, 0, FrameHeader.LENGTH + 1);
    assertThat(allocator.metric().usedDirectMemory()).isLessThanOrEqualTo(64 * 1024);
    assertThat(decoder.isBetweenFrames()).isFalse();
  }

  @Test
  void everyTruncationYieldsOnlyWholeFramesAndLeaksNothing() throws FdtException {
    byte[] wire = join(frame(0, randomBytes(50, 1)), idle(1), frame(2, randomBytes(70, 2)));
    for (int length = 0; length < wire.length; length++) {
      List<ReceivedFrame> received = new ArrayList<>();
      FrameDecoder truncated = new FrameDecoder(MAX_PAYLOAD);
      truncated.feed(buffer(wire, 0, length), received::add);
      assertThat(received).hasSize(length >= 90 ? 1 : 0);
      assertThat(truncated.isBetweenFrames())
          .isEqualTo(length == 0 || length == 90 || length == 130);
      received.forEach(ReceivedFrame::release);
      truncated.close();
      assertThat(allocator.metric().usedDirectMemory()).isZero();
    }
  }

  @Test
  void everyFlippedPayloadBitIsNoticedAndLaterFramesStillDecode() throws FdtException {
    byte[] first = randomBytes(64, 1);
    byte[] clean = join(frame(0, first), frame(1, randomBytes(64, 2)));
    for (int bit = 0; bit < first.length * 8; bit++) {
      byte[] wire = clean.clone();
      wire[FrameHeader.LENGTH + bit / 8] ^= (byte) (1 << bit % 8);
      List<ReceivedFrame> received = new ArrayList<>();
      new FrameDecoder(MAX_PAYLOAD).feed(buffer(wire), received::add);
      assertThat(received).extracting(ReceivedFrame::isIntact).containsExactly(false, true);
      received.forEach(ReceivedFrame::release);
    }
  }

  @Test
  void everyFlippedHeaderBitEndsTheStream() throws FdtException {
    byte[] clean = join(frame(0, randomBytes(64, 1)), frame(1, randomBytes(64, 2)));
    for (int bit = 0; bit < FrameHeader.LENGTH * 8; bit++) {
      byte[] wire = clean.clone();
      wire[FrameHeader.LENGTH + 64 + bit / 8] ^= (byte) (1 << bit % 8);
      List<ReceivedFrame> received = new ArrayList<>();
      FrameDecoder damaged = new FrameDecoder(MAX_PAYLOAD);
      ByteBuf in = buffer(wire);
      FdtException e =
          catchThrowableOfType(FdtException.class, () -> damaged.feed(in, received::add));
      assertThat(e).as("bit %d", bit).isNotNull();
      assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
      assertThat(received).hasSize(1);
      received.get(0).release();
    }
  }

  @Test
  void framesOutOfOrderEndTheStream() throws FdtException {
    feed(join(frame(0, new byte[1]), idle(1)));
    for (long number : new long[] {0, 1, 3, Long.MAX_VALUE}) {
      FrameDecoder fresh = new FrameDecoder(MAX_PAYLOAD);
      fresh.feed(buffer(join(idle(0), idle(1))), frames::add);
      FdtException e =
          catchThrowableOfType(
              FdtException.class,
              () -> fresh.feed(buffer(frame(number, new byte[5])), frames::add));
      assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
      assertThat(e).hasMessage("frame out of order: number=" + number + " expected=2");
    }
    assertThat(frames).hasSize(1);
  }

  @Test
  void payloadsAreLimitedToWhatWasAgreed() throws FdtException {
    FrameDecoder narrow = new FrameDecoder(100);
    narrow.feed(buffer(frame(0, new byte[100])), frames::add);
    assertThatThrownBy(() -> narrow.feed(buffer(frame(1, new byte[101])), frames::add))
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("at most 100");
    assertThat(frames).hasSize(1);
  }

  @Test
  void afterAFailureTheDecoderReleasesWhateverIsFed() throws FdtException {
    assertThatThrownBy(() -> feed(new byte[FrameHeader.LENGTH])).isInstanceOf(FdtException.class);
    feed(frame(0, new byte[10]));
    assertThat(frames).isEmpty();
  }

  @Test
  void aSinkThatFailsEndsTheStream() throws FdtException {
    FdtException failure = new FdtException(ErrorCode.PROTOCOL, "unknown file");
    byte[] wire = join(frame(0, new byte[10]), frame(1, new byte[10]));
    assertThatThrownBy(
            () ->
                decoder.feed(
                    buffer(wire),
                    frame -> {
                      frames.add(frame);
                      throw failure;
                    }))
        .isSameAs(failure);
    feed(frame(1, new byte[10]));
    assertThat(frames).hasSize(1);
  }

  @Test
  void closingFromWithinTheSinkStopsThereQuietly() throws FdtException {
    byte[] wire = join(frame(0, new byte[10]), frame(1, new byte[10]), frame(2, new byte[10]));
    decoder.feed(
        buffer(wire),
        frame -> {
          frames.add(frame);
          if (frame.header().number() == 1) {
            decoder.close();
          }
        });
    assertThat(frames).hasSize(2);
  }

  @Test
  void closingReleasesAFrameThatIsNotComplete() throws FdtException {
    byte[] wire = frame(0, randomBytes(100_000, 1));
    feed(wire, 0, 50_000);
    feed(wire, 50_000, 50_100);
    assertThat(fed.get(0).refCnt()).isEqualTo(1);
    decoder.close();
    decoder.close();
    assertThat(fed).allMatch(buf -> buf.refCnt() == 0);
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void releasingAFrameTwiceReleasesItOnce() throws FdtException {
    ByteBuf in = buffer(join(frame(0, new byte[10_000]), frame(1, new byte[10_000])));
    decoder.feed(in, frames::add);
    frames.get(0).release();
    frames.get(0).release();
    assertThat(in.refCnt()).isEqualTo(1);
  }

  @Test
  void packsGoThroughTheDecoder() throws FdtException {
    ByteBuf pack = Unpooled.buffer();
    for (int id = 1; id <= 3; id++) {
      int start = Pack.begin(pack);
      pack.writeBytes(randomBytes(3000 * id, id));
      Pack.finish(pack, start, id);
    }
    int length = pack.readableBytes();
    ByteBuf wire = Unpooled.buffer();
    FrameHeader.pack(0, 3, length, Crc32c.of(pack, 0, length)).write(wire);
    byte[] bytes = ByteBufUtil.getBytes(wire.writeBytes(pack));
    feed(bytes, 0, 7000);
    feed(bytes, 7000, bytes.length);
    ReceivedFrame frame = frames.get(0);
    ByteBuf payload = frame.contiguous();
    List<PackRecord> records = Pack.read(payload, frame.header().fileId());
    assertThat(records).hasSize(3).allMatch(record -> record.isIntact(payload));
    assertThat(ByteBufUtil.getBytes(records.get(2).slice(payload))).isEqualTo(randomBytes(9000, 3));
  }

  private void feed(byte[] wire) throws FdtException {
    feed(wire, 0, wire.length);
  }

  private void feed(byte[] wire, int from, int to) throws FdtException {
    decoder.feed(buffer(wire, from, to), frames::add);
  }

  private ByteBuf buffer(byte[] wire) {
    return buffer(wire, 0, wire.length);
  }

  private ByteBuf buffer(byte[] wire, int from, int to) {
    ByteBuf buf = allocator.directBuffer(Math.max(1, to - from)).writeBytes(wire, from, to - from);
    fed.add(buf);
    return buf;
  }

  private static byte[] randomStream(Random random, List<byte[]> payloads) {
    ByteBuf wire = Unpooled.buffer();
    int count = 1 + random.nextInt(6);
    for (int number = 0; number < count; number++) {
      if (random.nextInt(4) == 0) {
        FrameHeader.idle(number).write(wire);
        continue;
      }
      byte[] payload = new byte[random.nextInt(1 << (1 + random.nextInt(18)))];
      random.nextBytes(payload);
      payloads.add(payload);
      wire.writeBytes(frame(number, payload));
    }
    return ByteBufUtil.getBytes(wire);
  }

  private static FrameHeader headerOf(long number, byte[] payload) {
    int crc = Crc32c.of(Unpooled.wrappedBuffer(payload), 0, payload.length);
    return FrameHeader.block(number, 17, number << 20, payload.length, crc);
  }

  private static byte[] frame(long number, byte[] payload) {
    ByteBuf wire = Unpooled.buffer();
    long offset = Math.min(number, 1000) << 20;
    int crc = Crc32c.of(Unpooled.wrappedBuffer(payload), 0, payload.length);
    FrameHeader.block(number, 17, offset, payload.length, crc).write(wire);
    return ByteBufUtil.getBytes(wire.writeBytes(payload));
  }

  private static byte[] idle(long number) {
    ByteBuf wire = Unpooled.buffer();
    FrameHeader.idle(number).write(wire);
    return ByteBufUtil.getBytes(wire);
  }

  private static byte[] join(byte[]... pieces) {
    return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(pieces));
  }

  private static byte[] bytesOf(ReceivedFrame frame) {
    ByteBuf all = Unpooled.buffer();
    for (int i = 0; i < frame.parts(); i++) {
      ByteBuf part = frame.part(i);
      all.writeBytes(part, part.readerIndex(), part.readableBytes());
    }
    return ByteBufUtil.getBytes(all);
  }

  private static byte[] randomBytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
