package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.Ping;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every test ends with all buffers released: those that it fed and those that were made. */
class ControlFramesTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final List<Control> messages = new ArrayList<>();
  private final ControlDecoder decoder = new ControlDecoder();

  @AfterEach
  void everythingIsReleased() {
    decoder.close();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  @Test
  void goldenBytes() {
    Control message =
        Control.newBuilder()
            .setNumber(3)
            .setReceived(2)
            .setPing(Ping.newBuilder().setNonce(300))
            .build();
    ByteBuf frame = ControlFrames.encode(message, allocator);
    assertThat(ByteBufUtil.hexDump(frame)).isEqualTo("00000009" + "08031002" + "320308ac02");
    frame.release();
  }

  @Test
  void messagesComeOutAsTheyWentInHoweverTheyAreSplit() throws FdtException {
    long seed = 20261121;
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      String description = "seed " + seed + " round " + round;
      List<Control> sent = new ArrayList<>();
      ByteBuf wire = Unpooled.buffer();
      for (int i = random.nextInt(5); i >= 0; i--) {
        sent.add(hello(random.nextInt(1 << random.nextInt(15))));
        wire.writeBytes(bytesOf(sent.get(sent.size() - 1)));
      }
      ControlDecoder splitting = new ControlDecoder();
      List<Control> received = new ArrayList<>();
      int most = Math.max(1 << random.nextInt(14), wire.readableBytes() / 200);
      while (wire.isReadable()) {
        int length = Math.min(wire.readableBytes(), random.nextInt(most + 1));
        ByteBuf in = allocator.directBuffer(Math.max(1, length)).writeBytes(wire, length);
        splitting.feed(in, received::add);
        assertThat(in.refCnt()).as(description).isZero();
      }
      assertThat(received).as(description).isEqualTo(sent);
      assertThat(allocator.metric().usedDirectMemory()).as(description).isZero();
    }
  }

  @Test
  void everyPrefixWaitsForMore() throws FdtException {
    byte[] wire = bytesOf(hello(30));
    for (int length = 0; length < wire.length; length++) {
      ControlDecoder waiting = new ControlDecoder();
      waiting.feed(buffer(wire, 0, length), messages::add);
      assertThat(messages).isEmpty();
      waiting.close();
      assertThat(allocator.metric().usedDirectMemory()).isZero();
    }
  }

  @Test
  void lengthsOutOfRangeAreRefusedBeforeAnythingIsKept() {
    assertThat(violationOf(intBytes(0))).isEqualTo("control message of 0 bytes (1 to 1048576)");
    assertThat(violationOf(intBytes((1 << 20) + 1)))
        .isEqualTo("control message of 1048577 bytes (1 to 1048576)");
    assertThat(violationOf(intBytes(-1))).startsWith("control message of 4294967295 bytes");
    assertThat(violationOf("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)))
        .contains("1195725856 bytes");
  }

  @Test
  void announcingALongMessageCostsLittleMemory() throws FdtException {
    decoder.feed(buffer(intBytes(1 << 20), 0, 4), messages::add);
    decoder.feed(buffer(new byte[1], 0, 1), messages::add);
    assertThat(allocator.metric().usedDirectMemory()).isLessThanOrEqualTo(1024);
  }

  @Test
  void aStrangerGetsTheLimitThatWasSet() throws FdtException {
    Control message = hello(100);
    int length = message.getSerializedSize();
    new ControlDecoder(length).feed(buffer(bytesOf(message), 0, length + 4), messages::add);
    assertThat(messages).containsExactly(message);
    assertThatThrownBy(
            () ->
                new ControlDecoder(length - 1)
                    .feed(buffer(bytesOf(message), 0, length + 4), messages::add))
        .isInstanceOf(FdtException.class);
    assertThatThrownBy(() -> new ControlDecoder(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ControlDecoder((1 << 20) + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theLongestMessagePassesAndALongerOneCannotBeSent() throws FdtException {
    Control overhead = hello(1 << 19);
    int room = ControlFrames.MAX_LENGTH - overhead.getSerializedSize();
    Control longest = hello((1 << 19) + room);
    assertThat(longest.getSerializedSize()).isEqualTo(ControlFrames.MAX_LENGTH);
    byte[] wire = bytesOf(longest);
    decoder.feed(buffer(wire, 0, 500_000), messages::add);
    decoder.feed(buffer(wire, 500_000, wire.length), messages::add);
    assertThat(messages).containsExactly(longest);
    assertThatThrownBy(() -> ControlFrames.encode(hello((1 << 19) + room + 1), allocator))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("HELLO message of 1048577 bytes");
    assertThatThrownBy(() -> ControlFrames.encode(Control.getDefaultInstance(), allocator))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void malformedProtobufIsAViolationInOnePieceAndInTwo() {
    byte[] wire = {0, 0, 0, 2, 0x1A, 0x05};
    assertThat(violationOf(wire)).isEqualTo("control message of 2 bytes is malformed");
    ControlDecoder second = new ControlDecoder();
    FdtException e =
        catchThrowableOfType(
            FdtException.class,
            () -> {
              second.feed(buffer(wire, 0, 5), messages::add);
              second.feed(buffer(wire, 5, 6), messages::add);
            });
    assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
    assertThat(messages).isEmpty();
  }

  @Test
  void randomDamageNeverCausesAnythingButAViolation() {
    long seed = 20261122;
    Random random = new Random(seed);
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] wire = bytesOf(hello(random.nextInt(40)));
      for (int i = random.nextInt(4); i >= 0; i--) {
        wire[random.nextInt(wire.length)] = (byte) random.nextInt(256);
      }
      ControlDecoder damaged = new ControlDecoder();
      try {
        damaged.feed(buffer(wire, 0, wire.length), messages::add);
      } catch (FdtException e) {
        assertThat(e.code()).as("seed %d round %d", seed, round).isEqualTo(ErrorCode.PROTOCOL);
        refused++;
      }
      damaged.close();
    }
    assertThat(refused).isGreaterThan(1000);
  }

  @Test
  void messagesOfALaterVersionHaveNoBodyHere() throws FdtException {
    byte[] wire = {0, 0, 0, 5, 0x08, 0x07, (byte) 0xC2, 0x3E, 0x00};
    decoder.feed(buffer(wire, 0, wire.length), messages::add);
    assertThat(messages.get(0).getNumber()).isEqualTo(7);
    assertThat(messages.get(0).getBodyCase()).isEqualTo(Control.BodyCase.BODY_NOT_SET);
  }

  @Test
  void afterAFailureTheDecoderReleasesWhateverIsFed() throws FdtException {
    FdtException failure = new FdtException(ErrorCode.PROTOCOL, "not now");
    byte[] wire = bytesOf(hello(3));
    assertThatThrownBy(
            () ->
                decoder.feed(
                    buffer(wire, 0, wire.length),
                    message -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    ByteBuf in = buffer(wire, 0, wire.length);
    decoder.feed(in, messages::add);
    assertThat(in.refCnt()).isZero();
    assertThat(messages).isEmpty();
  }

  @Test
  void closingFromWithinTheSinkStopsThereQuietly() throws FdtException {
    ByteBuf wire = Unpooled.buffer();
    for (int i = 0; i < 3; i++) {
      wire.writeBytes(bytesOf(hello(i)));
    }
    byte[] bytes = ByteBufUtil.getBytes(wire);
    decoder.feed(
        buffer(bytes, 0, bytes.length),
        message -> {
          messages.add(message);
          decoder.close();
        });
    assertThat(messages).hasSize(1);
  }

  private String violationOf(byte[] wire) {
    ControlDecoder fresh = new ControlDecoder();
    FdtException e =
        catchThrowableOfType(
            FdtException.class, () -> fresh.feed(buffer(wire, 0, wire.length), messages::add));
    assertThat(e).isNotNull();
    assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL);
    assertThat(messages).isEmpty();
    return e.getMessage();
  }

  private ByteBuf buffer(byte[] bytes, int from, int to) {
    return allocator.directBuffer(Math.max(1, to - from)).writeBytes(bytes, from, to - from);
  }

  private static Control hello(int length) {
    return Control.newBuilder()
        .setHello(Hello.newBuilder().setSoftware("x".repeat(length)))
        .build();
  }

  private byte[] bytesOf(Control message) {
    ByteBuf frame = ControlFrames.encode(message, allocator);
    byte[] bytes = ByteBufUtil.getBytes(frame);
    frame.release();
    return bytes;
  }

  private static byte[] intBytes(int value) {
    return ByteBufUtil.getBytes(Unpooled.copyInt(value));
  }
}
