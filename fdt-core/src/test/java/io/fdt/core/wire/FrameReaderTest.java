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
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every test ends with all buffers released: those that it fed and those that the reader made. */
class FrameReaderTest {
  private static final int MAX_PAYLOAD = 1 << 20;
  private static ResourceLeakDetector.Level levelBefore;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final List<ByteBuf> fed = new ArrayList<>();
  private final List<ReceivedFrame> frames = new ArrayList<>();
  private final FrameReader reader = new FrameReader(MAX_PAYLOAD, allocator, PayloadDecoder.NONE);

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
    reader.close();
    assertThat(fed).allMatch(buf -> buf.refCnt() == 0);
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  @Test
  void payloadsAreReadIntoTheirOwnPlaceWithoutACopy() throws FdtException {
    byte[] payload = randomBytes(10_000, 1);
    byte[] wire = frame(0, payload);
    fill(reader, wire, 0, FrameHeader.LENGTH);
    ByteBuf target = reader.target();
    long address = target.memoryAddress();
    assertThat(target.writableBytes()).isEqualTo(payload.length);
    target.release();

    fill(reader, wire, FrameHeader.LENGTH, payload.length);

    ReceivedFrame frame = frames.get(0);
    assertThat(frame.header()).isEqualTo(headerOf(0, payload));
    assertThat(frame.isIntact()).isTrue();
    assertThat(frame.payload().memoryAddress()).isEqualTo(address);
    assertThat(ByteBufUtil.getBytes(frame.payload())).isEqualTo(payload);
  }

  /** 128 streams with the longest blocks, of which only headers have come. */
  @Test
  void headersOfLongPayloadsCostLittleMemoryUntilTheirBytesCome() throws FdtException {
    int longest = 64 << 20;
    int streams = 128;
    ByteBuf bytes = Unpooled.buffer();
    FrameHeader.block(0, 17, 0, longest, 0).write(bytes);
    byte[] header = ByteBufUtil.getBytes(bytes);
    List<FrameReader> readers = new ArrayList<>();
    try {
      for (int i = 0; i < streams; i++) {
        FrameReader one = new FrameReader(longest, allocator, PayloadDecoder.NONE);
        readers.add(one);
        fill(one, header, 0, FrameHeader.LENGTH);
      }
      assertThat(allocator.metric().usedDirectMemory())
          .isLessThanOrEqualTo((streams + 1L) * (FrameReader.FIRST_BYTES + FrameHeader.LENGTH));
    } finally {
      readers.forEach(FrameReader::close);
    }
  }

  @Test
  void aLongPayloadGrowsWithWhatHasComeAndArrivesWhole() throws FdtException {
    byte[] payload = randomBytes(9 * FrameReader.FIRST_BYTES + 7, 5);
    byte[] wire = frame(0, payload);
    try (FrameReader one = new FrameReader(payload.length, allocator, PayloadDecoder.NONE)) {
      int at = 0;
      while (at < wire.length) {
        int count = Math.min(100_000, wire.length - at);
        one.copyAndRelease(buffer(wire, at, count), frames::add);
        at += count;
        assertThat(allocator.metric().usedDirectMemory())
            .as("after %d bytes", at)
            .isLessThanOrEqualTo(4L * at + FrameReader.FIRST_BYTES + 1000);
      }
    }
    assertThat(frames).hasSize(1);
    assertThat(frames.get(0).isIntact()).isTrue();
    assertThat(ByteBufUtil.getBytes(frames.get(0).payload())).isEqualTo(payload);
  }

  @Test
  void theTargetNeverReachesBeyondTheHeaderOrThePayloadThatIsBeingRead() throws FdtException {
    byte[] payload = randomBytes(100, 3);
    byte[] wire = join(frame(0, payload), frame(1, payload));
    int boundary = 0;
    int next = FrameHeader.LENGTH;
    for (int at = 0; at < wire.length; at++) {
      if (at == next) {
        boundary++;
        next += boundary % 2 == 1 ? payload.length : FrameHeader.LENGTH;
      }
      ByteBuf target = reader.target();
      assertThat(target.readableBytes()).as("byte %d", at).isZero();
      assertThat(target.writableBytes()).as("byte %d", at).isEqualTo(next - at);
      assertThat(target.maxCapacity()).as("byte %d", at).isEqualTo(next - at);
      target.release();
      fill(reader, wire, at, 1);
    }
    assertThat(frames).hasSize(2).allMatch(ReceivedFrame::isIntact);
  }

  @Test
  void framesComeInOrderAndThoseThatSayNothingStayInside() throws FdtException {
    copy(
        join(
            frame(0, randomBytes(100, 1)),
            idle(1),
            frame(2, new byte[0]),
            frame(3, randomBytes(5000, 2))));
    assertThat(frames).extracting(f -> f.header().number()).containsExactly(0L, 2L, 3L);
    assertThat(frames).allMatch(ReceivedFrame::isIntact);
    assertThat(frames).extracting(f -> f.payload().readableBytes()).containsExactly(100, 0, 5000);
  }

  @Test
  void howTheBytesAreSplitMakesNoDifference() throws FdtException {
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
      FrameReader splitting =
          new FrameReader(MAX_PAYLOAD, allocators[round % 3], PayloadDecoder.NONE);
      int most = Math.max(1 << random.nextInt(17), wire.length / 200);
      for (int at = 0; at < wire.length; ) {
        int length = Math.min(wire.length - at, random.nextInt(most + 1));
        if (random.nextBoolean()) {
          splitting.copyAndRelease(buffer(wire, at, length), received::add);
          at += length;
        } else {
          at += fillSome(splitting, wire, at, length, received);
        }
      }
      assertThat(received).as(description).hasSameSizeAs(payloads);
      for (int i = 0; i < payloads.size(); i++) {
        ReceivedFrame frame = received.get(i);
        assertThat(frame.isIntact()).as(description).isTrue();
        assertThat(ByteBufUtil.getBytes(frame.payload()))
            .as(description)
            .isEqualTo(payloads.get(i));
        frame.release();
        if (payloads.get(i).length > 0) { // an empty buffer is shared and never freed
          assertThat(frame.payload().refCnt()).as(description).isZero();
        }
      }
      splitting.close();
    }
  }

  @Test
  void everyPrefixYieldsOnlyWholeFramesAndLeaksNothing() throws FdtException {
    byte[] wire = join(frame(0, randomBytes(50, 1)), idle(1), frame(2, randomBytes(70, 2)));
    reader.close();
    for (int length = 0; length < wire.length; length++) {
      List<ReceivedFrame> received = new ArrayList<>();
      FrameReader truncated = new FrameReader(MAX_PAYLOAD, allocator, PayloadDecoder.NONE);
      truncated.copyAndRelease(buffer(wire, 0, length), received::add);
      assertThat(received)
          .as("%d bytes", length)
          .hasSize(length >= FrameHeader.LENGTH + 50 ? 1 : 0);
      received.forEach(ReceivedFrame::release);
      truncated.close();
      assertThat(allocator.metric().usedDirectMemory()).as("%d bytes", length).isZero();
    }
  }

  @Test
  void everyFlippedPayloadBitIsNoticedAndLaterFramesStillCome() throws FdtException {
    byte[] first = randomBytes(64, 1);
    byte[] clean = join(frame(0, first), frame(1, randomBytes(64, 2)));
    for (int bit = 0; bit < first.length * 8; bit++) {
      byte[] wire = clean.clone();
      wire[FrameHeader.LENGTH + bit / 8] ^= (byte) (1 << bit % 8);
      List<ReceivedFrame> received = new ArrayList<>();
      FrameReader damaged = new FrameReader(MAX_PAYLOAD, allocator, PayloadDecoder.NONE);
      damaged.copyAndRelease(buffer(wire, 0, wire.length), received::add);
      assertThat(received)
          .as("bit %d", bit)
          .extracting(ReceivedFrame::isIntact)
          .containsExactly(false, true);
      received.forEach(ReceivedFrame::release);
      damaged.close();
    }
  }

  @Test
  void everyFlippedHeaderBitEndsTheStream() throws FdtException {
    byte[] clean = join(frame(0, randomBytes(64, 1)), frame(1, randomBytes(64, 2)));
    for (int bit = 0; bit < FrameHeader.LENGTH * 8; bit++) {
      byte[] wire = clean.clone();
      wire[FrameHeader.LENGTH + 64 + bit / 8] ^= (byte) (1 << bit % 8);
      List<ReceivedFrame> received = new ArrayList<>();
      FrameReader damaged = new FrameReader(MAX_PAYLOAD, allocator, PayloadDecoder.NONE);
      ByteBuf in = buffer(wire, 0, wire.length);
      FdtException e =
          catchThrowableOfType(FdtException.class, () -> damaged.copyAndRelease(in, received::add));
      assertThat(e).as("bit %d", bit).isNotNull();
      assertThat(e.code()).as("bit %d", bit).isEqualTo(ErrorCode.PROTOCOL);
      assertThat(received).as("bit %d", bit).hasSize(1);
      received.get(0).release();
      damaged.close();
    }
  }

  @Test
  void aFrameWithAnotherNumberThanTheNextEndsTheStream() throws FdtException {
    for (long number : new long[] {0, 1, 3, Long.MAX_VALUE}) {
      FrameReader fresh = new FrameReader(MAX_PAYLOAD, allocator, PayloadDecoder.NONE);
      byte[] idles = join(idle(0), idle(1));
      fresh.copyAndRelease(buffer(idles, 0, idles.length), frames::add);
      byte[] wire = frame(number, new byte[5]);
      ByteBuf in = buffer(wire, 0, wire.length);
      FdtException e =
          catchThrowableOfType(FdtException.class, () -> fresh.copyAndRelease(in, frames::add));
      assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
      assertThat(e).hasMessage("frame number=" + number + " where number=2 is expected");
      fresh.close();
    }
    assertThat(frames).isEmpty();
  }

  @Test
  void payloadsAreLimitedToWhatWasAgreed() throws FdtException {
    FrameReader narrow = new FrameReader(100, allocator, PayloadDecoder.NONE);
    byte[] fits = frame(0, new byte[100]);
    narrow.copyAndRelease(buffer(fits, 0, fits.length), frames::add);
    byte[] tooLong = frame(1, new byte[101]);
    ByteBuf in = buffer(tooLong, 0, tooLong.length);
    assertThatThrownBy(() -> narrow.copyAndRelease(in, frames::add))
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("at most 100");
    narrow.close();
    assertThat(frames).hasSize(1);
  }

  @Test
  void anEncodedPayloadArrivesPlainAndItsChecksumIsThatOfThePlainBytes() throws FdtException {
    byte[] payload = new byte[100_000];
    Arrays.fill(payload, 0, 90_000, (byte) 7);
    byte[] wire = Deflate.encoded(frame(0, payload));
    assertThat(wire).hasSizeLessThan(20_000);
    FrameReader decoding = new FrameReader(MAX_PAYLOAD, allocator, new Deflate());
    for (int cut = 1; cut < wire.length; cut += 997) {
      FrameReader reader = new FrameReader(MAX_PAYLOAD, allocator, new Deflate());
      reader.copyAndRelease(buffer(wire, 0, cut), frames::add);
      reader.copyAndRelease(buffer(wire, cut, wire.length - cut), frames::add);
      reader.close();
    }
    decoding.copyAndRelease(buffer(wire, 0, wire.length), frames::add);
    decoding.close();
    assertThat(frames)
        .allSatisfy(
            frame -> {
              assertThat(frame.isIntact()).isTrue();
              assertThat(frame.header().length()).isEqualTo(payload.length);
              assertThat(ByteBufUtil.getBytes(frame.payload())).isEqualTo(payload);
            });
  }

  @Test
  void anEncodedPayloadThatIsDamagedIsNotIntact() throws FdtException {
    byte[] payload = randomBytes(5_000, 3);
    Arrays.fill(payload, 0, 2_500, (byte) 0);
    byte[] wire = Deflate.encoded(frame(0, payload));
    int refused = 0;
    for (int bit = 0; bit < (wire.length - FrameHeader.LENGTH) * 8; bit += 13) {
      byte[] damaged = wire.clone();
      damaged[FrameHeader.LENGTH + bit / 8] ^= (byte) (1 << bit % 8);
      FrameReader decoding = new FrameReader(MAX_PAYLOAD, allocator, new Deflate());
      decoding.copyAndRelease(buffer(damaged, 0, damaged.length), frames::add);
      decoding.close();
      ReceivedFrame frame = frames.remove(frames.size() - 1);
      boolean same = Arrays.equals(ByteBufUtil.getBytes(frame.payload()), payload);
      assertThat(same || !frame.isIntact()).as("bit %d", bit).isTrue();
      refused += frame.isIntact() ? 0 : 1;
      frame.release();
    }
    assertThat(refused).isPositive();
  }

  @Test
  void whatWouldDecodeToMoreThanTheHeaderSaysIsDamaged() throws FdtException {
    byte[] bomb = Deflate.encoded(frame(0, new byte[1_000_000]));
    FrameHeader header = FrameHeader.read(Unpooled.wrappedBuffer(bomb), MAX_PAYLOAD);
    FrameHeader lie =
        FrameHeader.block(0, header.fileId(), 0, 10, 0).encoded(1, header.wireLength());
    lie.writeAt(Unpooled.wrappedBuffer(bomb), 0);
    FrameReader decoding = new FrameReader(MAX_PAYLOAD, allocator, new Deflate());
    decoding.copyAndRelease(buffer(bomb, 0, bomb.length), frames::add);
    decoding.close();
    assertThat(frames.get(0).isIntact()).isFalse();
    assertThat(frames.get(0).payload().capacity()).isEqualTo(10);
  }

  @Test
  void anEncodingThatIsNotAgreedEndsTheStream() {
    byte[] wire = Deflate.encoded(frame(0, new byte[1_000]));
    ByteBuf in = buffer(wire, 0, wire.length);
    assertThatThrownBy(() -> reader.copyAndRelease(in, frames::add))
        .isInstanceOf(FdtException.class)
        .hasMessage("frame with encoding=1, none was agreed");
  }

  @Test
  void aSinkThatFailsEndsTheStreamAndKeepsTheFrameThatItTookOver() {
    FdtException failure = new FdtException(ErrorCode.PROTOCOL, "unknown file");
    byte[] wire = join(frame(0, new byte[10]), frame(1, new byte[10]));
    ByteBuf in = buffer(wire, 0, wire.length);
    assertThatThrownBy(
            () ->
                reader.copyAndRelease(
                    in,
                    frame -> {
                      frames.add(frame);
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(frames).hasSize(1);
    assertThat(frames.get(0).payload().refCnt()).isEqualTo(1);
  }

  @Test
  void closingReleasesAFrameThatIsNotComplete() throws FdtException {
    byte[] wire = frame(0, randomBytes(100_000, 1));
    copy(wire, 0, 50_000);
    ByteBuf target = reader.target();
    reader.close();
    reader.close();
    assertThat(allocator.metric().usedDirectMemory()).isPositive();
    target.release();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void packsGoThroughTheReader() throws FdtException {
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
    copy(bytes, 0, 7000);
    copy(bytes, 7000, bytes.length - 7000);
    ReceivedFrame frame = frames.get(0);
    List<PackRecord> records = Pack.read(frame.payload(), frame.header().fileId());
    assertThat(records).hasSize(3).allMatch(record -> PackTest.isIntact(record, frame.payload()));
    assertThat(ByteBufUtil.getBytes(records.get(2).slice(frame.payload())))
        .isEqualTo(randomBytes(9000, 3));
  }

  /** Reads as a socket does: never more than the target takes. Returns how many bytes went in. */
  private static int fillSome(
      FrameReader reader, byte[] wire, int from, int length, List<ReceivedFrame> received)
      throws FdtException {
    ByteBuf target = reader.target();
    int count = Math.min(length, target.writableBytes());
    target.writeBytes(wire, from, count).release();
    if (count > 0) {
      reader.advance(count, received::add);
    }
    return count;
  }

  private void fill(FrameReader into, byte[] wire, int from, int length) throws FdtException {
    for (int at = from; at < from + length; ) {
      at += fillSome(into, wire, at, from + length - at, frames);
    }
  }

  private void copy(byte[] wire) throws FdtException {
    copy(wire, 0, wire.length);
  }

  private void copy(byte[] wire, int from, int length) throws FdtException {
    reader.copyAndRelease(buffer(wire, from, length), frames::add);
  }

  private ByteBuf buffer(byte[] wire, int from, int length) {
    ByteBuf buf = allocator.directBuffer(Math.max(1, length)).writeBytes(wire, from, length);
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

  private static byte[] randomBytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
