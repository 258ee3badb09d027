package io.fdt.udt.protocol.packet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.udt.protocol.Dialing;
import io.fdt.udt.protocol.Listening;
import io.fdt.udt.protocol.UdtSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Handshakes, cookies and sequence numbers. */
class HandshakeTest {
  private static final ByteBufAllocator MEMORY = UnpooledByteBufAllocator.DEFAULT;
  private static final byte[] HERE = {127, 0, 0, 1};
  private static final byte[] THERE = {127, 0, 0, 2};
  private static final Cookies COOKIES = new Cookies(new byte[16]);
  private static final Listening LISTENING = new Listening(UdtSettings.DEFAULT, COOKIES);

  @Test
  void theFirstRequestHasTheseBytes() {
    Dialing dialing = new Dialing(UdtSettings.DEFAULT, 0x1234_5678, 0x0A0B_0C0D);
    ByteBuf packet = dialing.transmit(0, MEMORY).orElseThrow();

    assertThat(ByteBufUtil.hexDump(packet))
        .isEqualTo(
            "80000000000000000000000000000000"
                + "4644540212345678000005dc000000010a0b0c0d00000000");
    packet.release();
  }

  @Test
  void aDialerAndAListenerAgree() {
    Dialing dialing = new Dialing(UdtSettings.DEFAULT.withSegment(1400), 77, 5);
    Listening.Outcome first = send(dialing, 10, HERE);
    ByteBuf cookie = first.reply().orElseThrow();
    assertThat(cookie.readableBytes()).as("no amplification").isEqualTo(Handshake.LENGTH);
    dialing.receive(20, cookie, 0, cookie.readableBytes());
    cookie.release();

    Handshake proven = send(dialing, 30, HERE).proven().orElseThrow();
    Terms accepted = LISTENING.accept(proven, 9);
    ByteBuf answer = LISTENING.answer(accepted, proven, MEMORY);
    dialing.receive(40, answer, 0, answer.readableBytes());
    answer.release();

    Terms dialed = dialing.terms().orElseThrow();
    assertThat(dialed).isEqualTo(new Terms(77, 1400, 5, 9, 10));
    assertThat(accepted).isEqualTo(new Terms(77, 1400, 9, 5, 0));
  }

  @Test
  void aCookieIsGoodForItsAddressForAMinute() {
    Dialing dialing = new Dialing(UdtSettings.DEFAULT, 77, 5);
    ByteBuf cookie = send(dialing, 0, HERE).reply().orElseThrow();
    dialing.receive(0, cookie, 0, cookie.readableBytes());
    cookie.release();
    ByteBuf conclusion = dialing.transmit(0, MEMORY).orElseThrow();

    assertThat(receive(conclusion, 61_000_000, HERE).proven()).isPresent();
    assertThat(receive(conclusion, 121_000_000, HERE).proven()).isEmpty();
    assertThat(receive(conclusion, 0, THERE))
        .isEqualTo(new Listening.Outcome(Optional.empty(), Optional.empty()));
    conclusion.release();
  }

  @Test
  void whatIsNoHandshakeGetsNoAnswer() {
    Dialing dialing = new Dialing(UdtSettings.DEFAULT, 77, 5);
    ByteBuf request = dialing.transmit(0, MEMORY).orElseThrow();
    for (int length = 0; length < Handshake.LENGTH; length++) {
      if (length >= Packets.HEADER) {
        assertThat(LISTENING.receive(0, HERE, 1, request, 0, length, MEMORY).reply()).isEmpty();
      }
    }
    request.setInt(Packets.HEADER, 0x4644_5403); // another version
    assertThat(receive(request, 0, HERE).reply()).isEmpty();
    request.release();
  }

  @Test
  void anEchoIsNoAgreement() {
    Dialing dialing = new Dialing(UdtSettings.DEFAULT, 77, 5);
    ByteBuf cookie = send(dialing, 0, HERE).reply().orElseThrow();
    dialing.receive(0, cookie, 0, cookie.readableBytes());
    ByteBuf conclusion = dialing.transmit(0, MEMORY).orElseThrow();
    dialing.receive(0, conclusion, 0, conclusion.readableBytes());

    assertThat(dialing.terms()).isEmpty();
    cookie.release();
    conclusion.release();
  }

  @Test
  void aRefusalEndsTheDialing() {
    Dialing dialing = new Dialing(UdtSettings.DEFAULT, 77, 5);
    ByteBuf cookie = send(dialing, 0, HERE).reply().orElseThrow();
    dialing.receive(0, cookie, 0, cookie.readableBytes());
    ByteBuf refusal = Listening.refuse(send(dialing, 0, HERE).proven().orElseThrow(), MEMORY);
    dialing.receive(0, refusal, 0, refusal.readableBytes());

    assertThat(dialing.isRefused()).isTrue();
    assertThat(dialing.transmit(10_000_000, MEMORY)).isEmpty();
    cookie.release();
    refusal.release();
  }

  @Test
  void sequenceNumbersWrapAround() {
    int initial = Packets.SEQUENCE_MASK - 2;
    for (long index = 0; index < 10; index++) {
      int sequence = Packets.sequence(initial, index);
      assertThat(sequence).isNotNegative();
      assertThat(Packets.index(initial, sequence, 3)).isEqualTo(index);
    }
    assertThat(Packets.sequence(initial, 3)).isZero();
    long far = 5L << 31;
    assertThat(Packets.index(initial, Packets.sequence(initial, far), far + 1000)).isEqualTo(far);
    assertThat(Packets.index(7, 6, 0)).isEqualTo(-1);
  }

  @Test
  void anyHandshakeIsReadWithoutHarm() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[Handshake.LENGTH];
      random.nextBytes(bytes);
      ByteBuf packet = Unpooled.wrappedBuffer(bytes);
      packet.setInt(0, 0x8000_0000);
      packet.setInt(Packets.HEADER, 0x4644_5402);
      if (i % 2 == 0) {
        packet.setInt(Packets.HEADER + 12, -1);
      }
      assertThat(receive(packet, 0, HERE).proven()).isEmpty();
    }
  }

  private static Listening.Outcome send(Dialing dialing, long now, byte[] from) {
    ByteBuf packet = dialing.transmit(now, MEMORY).orElseThrow();
    try {
      return receive(packet, now, from);
    } finally {
      packet.release();
    }
  }

  private static Listening.Outcome receive(ByteBuf packet, long now, byte[] from) {
    return LISTENING.receive(now, from, 4000, packet, 0, packet.readableBytes(), MEMORY);
  }
}
