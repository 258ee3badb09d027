package io.fdt.udt.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.SimulatedPath.Conditions;
import io.fdt.udt.protocol.UdtConnection.State;
import io.fdt.udt.protocol.packet.PacketKeys;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Protection;
import io.fdt.udt.protocol.packet.Sealing;
import io.fdt.udt.protocol.packet.SeenNumbers;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Connections whose packets are encrypted, and whoever reads and sends between their ends. */
class SealedConnectionTest {
  private static final long SECOND = 1_000_000;
  private static final Conditions CLEAN = new Conditions(0.00833, 333, 10_000, 0, 0, 0, 0);
  private static final UdtSettings SETTINGS = new UdtSettings(1500, 4096);
  private static final PathKey KEY = new PathKey("a secret of the stream".getBytes(US_ASCII));
  private static final PathKey OTHER = new PathKey("another secret of it!".getBytes(US_ASCII));

  private record Sent(byte[] packet, boolean toFirst) {}

  private final List<Sent> wire = new ArrayList<>();

  private SimulatedPath path(long seed, Conditions conditions) {
    SimulatedPath path = new SimulatedPath(seed, conditions, SETTINGS, KEY, KEY);
    path.sent = (packet, toFirst) -> wire.add(new Sent(packet, toFirst));
    return path;
  }

  private static boolean arrived(SimulatedPath path) {
    return path.second.received == path.first.toSend && path.first.received == path.second.toSend;
  }

  /** Seeds are printed with the failure: the seed is the index. */
  @Test
  void everyTransmissionHasANumberOfItsOwnWhateverIsLost() {
    for (int seed = 0; seed < 8; seed++) {
      wire.clear();
      SimulatedPath path = path(seed, new Conditions(0.01, 200, 20_000, 0.05, 0.05, 0.05, 0.05));
      path.first.toSend = 400_000;
      path.second.toSend = 100_000;
      assertThat(path.run(() -> arrived(path), 60 * SECOND)).as("seed %d", seed).isTrue();
      assertThat(path.first.connection.output().repeated()).as("seed %d", seed).isPositive();
      Set<String> numbers = new HashSet<>();
      for (Sent one : wire) {
        assertThat(numbers.add(number(one.packet) + " " + one.toFirst))
            .as("seed %d", seed)
            .isTrue();
      }
      path.release();
    }
  }

  private static long number(byte[] packet) {
    return ByteBuffer.wrap(packet).getLong(packet.length - Long.BYTES);
  }

  @Test
  void theBytesAreNotOnTheWireAndASecondTransmissionLooksDifferent() {
    SimulatedPath path = path(3, CLEAN.withLoss(0.05));
    path.first.toSend = 300_000;
    assertThat(path.run(() -> arrived(path), 60 * SECOND)).isTrue();
    byte[] plain = new byte[16];
    for (int i = 0; i < plain.length; i++) {
      plain[i] = SimulatedEnd.at(i);
    }
    Set<String> payloads = new HashSet<>();
    for (Sent one : wire) {
      byte[] payload = Arrays.copyOfRange(one.packet, 16, one.packet.length - 24);
      String text = HexFormat.of().formatHex(payload);
      assertThat(text).doesNotContain(HexFormat.of().formatHex(plain));
      assertThat(payload.length < 16 || payloads.add(text)).isTrue();
    }
    path.release();
  }

  /** Flipped, cut, longer, repeated, sent back, in the clear, and at random. */
  @Test
  void whatThePeerDidNotSendChangesNothing() {
    SimulatedPath path = path(4, CLEAN);
    path.first.toSend = 200_000;
    path.run(() -> path.second.received > 100_000, 10 * SECOND);
    String before = path.first.connection + " " + path.second.connection;
    Sent data = last(false);
    int bits = data.packet.length * 8;
    for (int bit = 0; bit < bits; bit += bit > 200 && bit < bits - 200 ? 7 : 1) {
      byte[] flipped = data.packet.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertRefused(path, path.second, flipped);
    }
    for (int length = 16; length < data.packet.length; length += 3) {
      assertRefused(path, path.second, Arrays.copyOf(data.packet, length));
      assertRefused(path, path.second, Arrays.copyOf(data.packet, data.packet.length + length));
    }
    for (Sent one : wire) {
      assertRefused(path, one.toFirst ? path.second : path.first, one.packet); // its own
    }
    Random random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      byte[] any = new byte[16 + random.nextInt(1460)];
      random.nextBytes(any);
      any[0] = (byte) (i % 2 == 0 ? 0x80 : 0);
      assertRefused(path, i % 4 < 2 ? path.first : path.second, any);
    }
    for (int type = 1; type <= 12; type++) {
      for (SimulatedEnd end : List.of(path.first, path.second)) {
        assertRefused(path, end, forged(type, end));
      }
    }
    assertThat(path.first.connection + " " + path.second.connection).isEqualTo(before);
    assertThat(path.run(() -> arrived(path), 10 * SECOND)).isTrue();
    path.release();
  }

  @Test
  void aPacketIsTakenOnce() {
    SimulatedPath path = path(4, CLEAN);
    path.first.toSend = 200_000;
    path.run(() -> false, SECOND);
    List<Sent> before = List.copyOf(wire);
    path.run(() -> false, SECOND);
    assertThat(arrived(path)).isTrue();
    for (Sent one : before) {
      assertRefused(path, one.toFirst ? path.first : path.second, one.packet);
    }
    path.release();
  }

  /** A shutdown, or a list of missing packets, with a right CRC32C, of whoever reads the path. */
  private static byte[] forged(int type, SimulatedEnd end) {
    ByteBuf packet = Unpooled.buffer();
    Packets.control(packet, type, 7, 1000, end.connection.terms().ownSocket());
    packet.writeInt(5).writeInt(6);
    ByteBuf whole = Unpooled.buffer();
    Protection.ofClear().append(packet, 0, packet.readableBytes(), whole);
    byte[] bytes = new byte[whole.readableBytes()];
    whole.readBytes(bytes);
    return bytes;
  }

  private Sent last(boolean toFirst) {
    for (int i = wire.size() - 1; ; i--) {
      Sent one = wire.get(i);
      if (one.toFirst == toFirst && one.packet[0] >= 0) {
        return one;
      }
    }
  }

  private static void assertRefused(SimulatedPath path, SimulatedEnd end, byte[] packet) {
    ByteBuf bytes = Unpooled.wrappedBuffer(packet.clone());
    assertThat(end.connection.receive(path.now, bytes, 0, packet.length)).isFalse();
  }

  @Test
  void endsWithDifferentKeysDoNotHearEachOther() {
    SimulatedPath path = new SimulatedPath(1, CLEAN, SETTINGS, KEY, OTHER);
    path.first.toSend = 1000;
    assertThat(path.run(() -> path.second.received > 0, 20 * SECOND)).isFalse();
    assertThat(path.first.connection.state()).isEqualTo(State.ENDED);
    assertThat(path.first.connection.reason()).isEqualTo("no packet for 15 s");
    assertThat(path.second.connection.state()).isEqualTo(State.ENDED);
    path.release();
  }

  /** The listener is silent until it hears the dialer, which has something to say by itself. */
  @Test
  void anEndThatOnlyReceivesSpeaksFirstInSpiteOfLosses() {
    SimulatedPath path = path(9, CLEAN);
    path.second.toSend = 5000;
    path.blackHole = true;
    path.run(() -> false, SECOND / 4);
    path.blackHole = false;
    assertThat(path.run(() -> arrived(path), SECOND)).isTrue();
    path.release();
  }

  /** The listener sends nothing before it has heard the dialer. */
  @Test
  void theDialerSpeaksEvery200MillisecondsUntilItHearsTheListener() {
    SimulatedPath other = path(1, CLEAN);
    UdtConnection dialer =
        SealedConnection.make(
            UnpooledByteBufAllocator.DEFAULT,
            WindowMemory.UNBOUNDED,
            new Terms(5, 1500, 11, 22, 0),
            KEY,
            true,
            SETTINGS,
            other.first,
            other.first,
            0);
    for (long now = 0; now <= SECOND; now += SECOND / 100) {
      dialer.transmit(now);
    }
    assertThat(wire).hasSize(6);
    dialer.release();
    other.release();
  }

  /** The dialer does not know of the connection at first, and hears its end soon after. */
  @Test
  void aListenerThatClosesBeforeItHasHeardTheDialerSaysSo() {
    for (long roundTripMillis : new long[] {2, 400}) {
      SimulatedPath path = path(9, new Conditions(0.01, 200, roundTripMillis * 500, 0, 0, 0, 0));
      path.blackHole = true;
      path.second.connection.finish();
      path.run(() -> false, SECOND / 10);
      path.blackHole = false;
      boolean heard =
          path.run(
              () -> path.first.connection.state() == State.ENDED,
              SECOND / 4 + 2000 * roundTripMillis);
      assertThat(heard).isTrue();
      assertThat(path.first.connection.reason()).isEqualTo("the peer closed it");
      assertThat(path.second.connection.state()).isEqualTo(State.ENDED);
      path.release();
    }
  }

  @Test
  void keysDependOnTheConnectionAndTheDirection() {
    Terms terms = new Terms(5, 1500, 11, 22, 0);
    Terms peers = new Terms(5, 1500, 22, 11, 0);
    PacketKeys here = PacketKeys.of(KEY, terms, true);
    PacketKeys there = PacketKeys.of(KEY, peers, false);
    assertThat(here.out().key()).isEqualTo(there.in().key()).isNotEqualTo(here.in().key());
    assertThat(here.in().key()).isEqualTo(there.out().key());
    assertThat(here.out().salt()).isEqualTo(there.in().salt()).isNotEqualTo(here.in().salt());
    List<Terms> others =
        List.of(
            new Terms(5, 1500, 12, 22, 0),
            new Terms(5, 1500, 11, 23, 0),
            new Terms(6, 1500, 11, 22, 0));
    for (Terms other : others) {
      assertThat(PacketKeys.of(KEY, other, true).out().key()).isNotEqualTo(here.out().key());
    }
    assertThat(PacketKeys.of(OTHER, terms, true).out().key()).isNotEqualTo(here.out().key());
  }

  /** RFC 5869, test case 1. */
  @Test
  void secretsAreExpandedAsInHkdf() {
    HexFormat hex = HexFormat.of();
    PathKey key =
        new PathKey(
            hex.parseHex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"));
    assertThat(hex.formatHex(key.expand(hex.parseHex("f0f1f2f3f4f5f6f7f8f9"), 32)))
        .isEqualTo("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
  }

  @Test
  void keysAreUsedUpInTime() {
    PacketKeys keys = PacketKeys.of(KEY, new Terms(5, 1500, 11, 22, 0), true);
    Sealing sealing = new Sealing(keys, Sealing.MOST_BLOCKS - 10);
    assertThat(sealing.isUsedUp()).isFalse();
    ByteBuf packet = Unpooled.buffer().writeZero(200);
    sealing.append(packet, 0, 200, Unpooled.buffer());
    assertThat(sealing.isUsedUp()).isTrue();
  }

  @Test
  void aConnectionWhoseKeysAreUsedUpEnds() {
    Terms terms = new Terms(5, 1500, 11, 22, 0).sealed();
    Sealing sealing = new Sealing(PacketKeys.of(KEY, terms, true), Sealing.MOST_BLOCKS - 10);
    SimulatedPath other = path(1, CLEAN);
    UdtConnection connection =
        new UdtConnection(
            UnpooledByteBufAllocator.DEFAULT,
            WindowMemory.UNBOUNDED,
            terms,
            sealing,
            SETTINGS,
            other.first,
            other.first,
            0);
    connection.transmit(SECOND / 2);
    assertThat(connection.state()).isEqualTo(State.OPEN);
    connection.write(Unpooled.buffer().writeZero(1000));
    connection.transmit(SECOND / 2);
    connection.transmit(SECOND / 2);
    assertThat(connection.state()).isEqualTo(State.ENDED);
    assertThat(connection.reason()).isEqualTo("its keys are used up");
    connection.release();
    other.release();
  }

  /** Beside a set of all that have come. */
  @Test
  void aNumberIsNewOnceAndOnlyNearTheHighest() {
    Random random = new Random(8);
    SeenNumbers numbers = new SeenNumbers();
    Set<Long> all = new HashSet<>();
    long highest = 0;
    for (int i = 0; i < 200_000; i++) {
      int jump = random.nextInt(1000) == 0 ? 3 * SeenNumbers.WINDOW : 20;
      long number = highest + random.nextInt(jump) - random.nextInt(i % 100 == 0 ? 5000 : 20);
      boolean isNew = number > 0 && highest - number < SeenNumbers.WINDOW && !all.contains(number);
      assertThat(numbers.isNew(number)).as("%d of %d", number, highest).isEqualTo(isNew);
      if (isNew) {
        numbers.add(number);
        all.add(number);
        highest = Math.max(highest, number);
      }
    }
    assertThat(numbers.isNew(Long.MIN_VALUE)).isFalse();
    assertThat(numbers.isNew(0)).isFalse();
  }
}
