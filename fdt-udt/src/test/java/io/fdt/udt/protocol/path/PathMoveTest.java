package io.fdt.udt.protocol.path;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Protection;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Challenges to another address, of which a third one must not get many. */
class PathMoveTest {
  private static final Terms TERMS = new Terms(5, 1500, 11, 22, 0);

  private final Protection protection = Protection.ofClear();
  private final PathMove move =
      new PathMove(TERMS, new PathKey("a secret of it".getBytes(US_ASCII)), protection);

  /** A packet every millisecond, each from another address. */
  @Test
  void noMoreThanTenChallengesLeaveInASecond() {
    int challenges = 0;
    for (int milli = 0; milli < 1000; milli++) {
      challenges += challenge(milli * 1000L, "address " + milli, Packets.HEADER + 100) == 0 ? 0 : 1;
    }
    assertThat(challenges).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4, 20, 1000})
  void aChallengeIsNoLongerThanThePacket(int fields) {
    int length = Packets.HEADER + fields;
    assertThat(challenge(0, "elsewhere", length))
        .isLessThanOrEqualTo(length + protection.overhead())
        .isEqualTo(fields < 4 ? 0 : Packets.HEADER + 4 + protection.overhead());
  }

  /** The bytes of the challenge to a packet from there; 0 for none. */
  private int challenge(long now, String from, int length) {
    ByteBuf plain = Unpooled.buffer().writeZero(length);
    ByteBuf packet = Unpooled.buffer();
    protection.append(plain, 0, length, packet);
    return move.receive(
            now, from, packet, 0, packet.readableBytes(), 77, UnpooledByteBufAllocator.DEFAULT)
        .challenge()
        .map(
            challenge -> {
              int bytes = challenge.readableBytes();
              challenge.release();
              return bytes;
            })
        .orElse(0);
  }
}
