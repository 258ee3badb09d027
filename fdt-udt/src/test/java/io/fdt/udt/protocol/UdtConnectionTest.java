package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.udt.protocol.SimulatedPath.Conditions;
import io.fdt.udt.protocol.UdtConnection.State;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two ends of a connection over a simulated path. */
class UdtConnectionTest {
  private static final long SECOND = 1_000_000;

  /** {@code make soak} runs more. */
  private static final int SCHEDULES = Integer.getInteger("fdt.udt.schedules", 1000);

  /** 100 Mbit/s, 20 ms there and back, a queue of 40 ms. */
  private static final Conditions CLEAN = new Conditions(0.00833, 333, 10_000, 0, 0, 0, 0);

  private static final UdtSettings SETTINGS = settings(4096);

  private static UdtSettings settings(int window) {
    return new UdtSettings(UdtSettings.DEFAULT_SEGMENT, window);
  }

  @Test
  void bytesArriveInBothDirectionsAndBothEndsFinish() {
    SimulatedPath path = new SimulatedPath(1, CLEAN, SETTINGS, 5);
    path.first.toSend = 3_000_001;
    path.second.toSend = 1_000_003;
    assertThat(path.run(() -> arrived(path), 30 * SECOND)).isTrue();

    path.first.connection.finish();
    path.second.connection.finish();
    assertThat(path.run(() -> ended(path), 5 * SECOND)).isTrue();
    path.release();
  }

  /** Seeds are printed with the failure: the seed is the index. */
  @Test
  void everyScheduleOfFaultsDeliversTheSameBytes() {
    for (int seed = 0; seed < SCHEDULES; seed++) {
      Random random = new Random(seed);
      Conditions faults =
          new Conditions(
              0.002 + random.nextDouble() * 0.1,
              20 + random.nextInt(500),
              random.nextInt(100_000),
              random.nextDouble() * 0.1,
              random.nextDouble() * 0.05,
              random.nextDouble() * 0.05,
              random.nextDouble() * 0.1);
      UdtSettings settings = new UdtSettings(1500, 512);
      int initial = seed % 3 == 0 ? Packets.SEQUENCE_MASK - random.nextInt(200) : random.nextInt();
      SimulatedPath path =
          new SimulatedPath(seed, faults, settings, initial & Packets.SEQUENCE_MASK);
      path.first.toSend = random.nextInt(200_000);
      path.second.toSend = random.nextInt(100_000);
      assertThat(path.run(() -> arrived(path), 600 * SECOND))
          .as("seed %d: %d of %d", seed, path.second.received, path.first.toSend)
          .isTrue();
      path.release();
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0.80", "0.01, 0.80", "0.02, 0.75"})
  void theModelUsesALongPathInSpiteOfLosses(double loss, double share) {
    Conditions path100 = new Conditions(0.00833, 600, 75_000, loss, 0, 0, 0);
    SimulatedPath path = new SimulatedPath(7, path100, UdtSettings.DEFAULT, 5);
    path.first.toSend = Long.MAX_VALUE;
    path.run(() -> false, 4 * SECOND);
    long before = path.second.received;
    path.run(() -> false, 10 * SECOND);
    double rate = (path.second.received - before) / 10.0 / SECOND;

    assertThat(rate / (0.00833 * 1452)).isBetween(share, 1.0);
    assertThat(path.first.connection.output().repeated())
        .isLessThan((long) (path.first.connection.output().packets() * (loss + 0.05)));
    path.release();
  }

  @Test
  void aPathThatIsCutGoesOnAfterwards() {
    SimulatedPath path = new SimulatedPath(2, CLEAN, SETTINGS, 5);
    path.first.toSend = 20_000_000;
    path.run(() -> path.second.received > 5_000_000, 30 * SECOND);
    path.blackHole = true;
    assertThat(path.run(() -> arrived(path), SECOND)).isFalse();
    long sent = path.first.connection.output().packets();
    assertThat(path.run(() -> arrived(path), 9 * SECOND)).isFalse();
    assertThat(path.first.connection.output().packets() - sent)
        .as("into the hole, 16 at a time, each 2 s at last")
        .isBetween(3 * 16L, 8 * 16L);
    path.blackHole = false;

    assertThat(path.run(() -> arrived(path), 20 * SECOND)).isTrue();
    path.release();
  }

  /** It is dialled again then, with packets that pass. */
  @Test
  void aConnectionWhoseLongPacketsPassNoMoreEndsSoon() {
    for (boolean both : new boolean[] {true, false}) {
      SimulatedPath path = new SimulatedPath(2, CLEAN.withLoss(0.01), SETTINGS, 5);
      path.first.toSend = 20_000_000;
      path.second.toSend = both ? 20_000_000 : 0;
      path.run(() -> path.second.received > 5_000_000, 30 * SECOND);
      path.longest = 1400;
      assertThat(path.run(() -> ended(path), 14 * SECOND)).isTrue();
      assertThat(path.first.connection.reason() + path.second.connection.reason())
          .contains("packets of 1472 bytes no longer arrive");
      path.release();
    }
  }

  /** A path that is narrow for a moment, and one that needs no long packets. */
  @Test
  void aConnectionWhoseLongPacketsAreLostForAMomentGoesOn() {
    SimulatedPath path = new SimulatedPath(2, CLEAN, SETTINGS, 5);
    path.first.toSend = 20_000_000;
    path.run(() -> path.second.received > 5_000_000, 30 * SECOND);
    path.longest = 1400;
    path.run(() -> false, SECOND);
    path.longest = Integer.MAX_VALUE;
    assertThat(path.run(() -> arrived(path), 20 * SECOND)).isTrue();
    path.longest = 1000;
    path.first.toSend += 500;
    assertThat(path.run(() -> arrived(path), SECOND)).isTrue();
    path.run(() -> false, 60 * SECOND);
    assertThat(path.first.connection.state()).isEqualTo(State.OPEN);
    path.release();
  }

  @Test
  void aPeerThatGoesSilentIsGivenUp() {
    SimulatedPath path = new SimulatedPath(2, CLEAN, SETTINGS, 5);
    path.first.toSend = 20_000_000;
    path.run(() -> path.second.received > 1_000_000, 30 * SECOND);
    path.blackHole = true;
    assertThat(path.run(() -> ended(path), 16 * SECOND)).isTrue();
    assertThat(path.first.connection.reason()).isEqualTo("no packet for 15 s");
    path.release();
  }

  @Test
  void anIdleConnectionLives() {
    SimulatedPath path = new SimulatedPath(2, CLEAN.withLoss(0.1), SETTINGS, 5);
    path.run(() -> false, 300 * SECOND);
    assertThat(path.first.connection.state()).isEqualTo(State.OPEN);
    path.first.toSend = 10;
    assertThat(path.run(() -> arrived(path), SECOND)).isTrue();
    path.release();
  }

  @Test
  void aReaderThatStopsStopsTheSenderAndMemoryIsBounded() {
    SimulatedPath path = new SimulatedPath(3, CLEAN.withLoss(0.01), settings(512), 5);
    path.first.toSend = 50_000_000;
    path.second.appetite = 1_000_000;
    path.run(() -> false, 40 * SECOND);
    assertThat(path.second.received).isEqualTo(1_000_000);
    assertThat(path.first.connection.state()).isEqualTo(State.OPEN);
    assertThat(path.first.memory()).isLessThan(1_100_000);
    assertThat(path.second.memory()).isLessThan(1_100_000);

    path.second.appetite = Long.MAX_VALUE;
    path.second.connection.deliver();
    assertThat(path.run(() -> arrived(path), 30 * SECOND)).isTrue();
    path.release();
  }

  /** The first packet is missing: what comes behind it is kept, and no more than 64 packets. */
  @ParameterizedTest
  @CsvSource({"1500, 92928", "9000, 572928"})
  void aClientThatDoesNotSayWhoItIsCostsLittle(int segment, long bytes) {
    UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    UdtSettings settings = UdtSettings.DEFAULT.withSegment(segment);
    Terms terms = new Terms(5, segment, 11, 22, 0);
    UdtConnection listener =
        new UdtConnection(
            memory, WindowMemory.UNBOUNDED, terms, settings, new Nowhere(), new Nowhere(), 0);
    int length = terms.packetLength();
    for (int index = 1; index < 200; index++) {
      ByteBuf packet = Unpooled.buffer(length, length).writeZero(length);
      Packets.data(packet, 0, 5, index, 11);
      int checked = length - Packets.TRAILER;
      packet.setInt(checked, Packets.crc(new CRC32C(), packet, 0, checked));
      assertThat(listener.receive(index, packet, 0, length)).isTrue();
      listener.transmit(index);
    }

    assertThat(memory.metric().usedDirectMemory()).isEqualTo(bytes);
    listener.release();
    assertThat(memory.metric().usedDirectMemory()).isZero();
  }

  @Test
  void aGapIsReportedAtOnce() {
    Nowhere network = new Nowhere();
    UdtConnection end = receiver(network);
    for (int index : new int[] {0, 3}) {
      packet(end, 1, index);
    }

    assertThat(network.control).containsExactly(Packets.NAK);
    end.release();
  }

  @Test
  void sixtyFourPacketsAreAcknowledgedBeforeTheIntervalIsOver() {
    Nowhere network = new Nowhere();
    UdtConnection end = receiver(network);
    for (int index = 0; index < 64; index++) {
      assertThat(network.control).isEmpty();
      packet(end, 2000, index);
    }

    assertThat(network.control).containsExactly(Packets.ACK);
    end.release();
  }

  @Test
  void anAcknowledgementGoesAgainUntilThePeerConfirmsIt() {
    Nowhere network = new Nowhere();
    UdtConnection end = receiver(network);
    packet(end, 0, 0);
    for (int i = 1; i < 200; i++) {
      end.transmit(i * UdtConnection.SYN_MICROS);
    }
    network.control.removeIf(type -> type != Packets.ACK);
    assertThat(network.control).hasSizeGreaterThan(2);

    ByteBuf confirmation = Unpooled.buffer();
    confirmation.writeInt(1 << 31 | Packets.ACK2 << 16).writeInt(network.number);
    confirmation.writeInt(0).writeInt(11);
    receive(end, 200 * UdtConnection.SYN_MICROS, confirmation);
    network.control.clear();
    for (int i = 200; i < 400; i++) {
      end.transmit(i * UdtConnection.SYN_MICROS);
    }
    assertThat(network.control).doesNotContain(Packets.ACK);
    end.release();
  }

  private static UdtConnection receiver(Nowhere network) {
    return new UdtConnection(
        new UnpooledByteBufAllocator(true),
        WindowMemory.UNBOUNDED,
        new Terms(5, 1500, 11, 22, 0),
        SETTINGS,
        network,
        network,
        0);
  }

  private static void packet(UdtConnection end, long now, int index) {
    ByteBuf packet = Unpooled.buffer().writeZero(100);
    Packets.data(packet, 0, 5, index, 11);
    assertThat(receive(end, now, packet)).isTrue();
  }

  private static boolean receive(UdtConnection end, long now, ByteBuf packet) {
    int length = packet.readableBytes();
    return end.receive(now, SimulatedEnd.checked(packet), 0, length + Packets.TRAILER);
  }

  @Test
  void afterATimeWithoutAcknowledgementsTheFirstAndTheLastPacketGoAgain() {
    SimulatedPath path = new SimulatedPath(2, CLEAN, SETTINGS, 5);
    List<Integer> sent = new ArrayList<>();
    path.sent =
        (packet, toFirst) -> {
          if (!toFirst && packet[0] >= 0) {
            sent.add(Unpooled.wrappedBuffer(packet).getInt(0));
          }
        };
    path.blackHole = true;
    path.first.toSend = 4 * 1452;
    path.run(() -> false, 2 * SECOND);

    assertThat(sent).startsWith(5, 6, 7, 8, 5, 8, 5, 6, 7, 8);
    path.release();
  }

  /** A network that loses all, and an application that takes nothing. */
  private static final class Nowhere implements Datagrams, Application {
    private final List<Integer> control = new ArrayList<>();
    private int number;

    @Override
    public void data(ByteBuf memory, int index, int length, int packet) {}

    @Override
    public void controlAndRelease(ByteBuf packet) {
      int type = Packets.type(packet, packet.readerIndex());
      control.add(type);
      if (type == Packets.ACK) {
        number = Packets.additional(packet, packet.readerIndex());
      }
      packet.release();
    }

    @Override
    public int deliver(ByteBuf memory, int index, int length) {
      return 0;
    }

    @Override
    public void writable() {}
  }

  @Test
  void whatWasWrittenBeforeFinishArrives() {
    SimulatedPath path = new SimulatedPath(4, CLEAN.withLoss(0.05), SETTINGS, 5);
    path.first.toSend = 100_000;
    path.first.write();
    assertThat(path.first.sent).isEqualTo(100_000);
    path.first.connection.finish();
    assertThat(path.run(() -> ended(path), 30 * SECOND)).isTrue();
    assertThat(path.second.received).isEqualTo(100_000);
    assertThat(path.second.connection.reason()).isEqualTo("the peer closed it");
    path.release();
  }

  /** Neither memory nor an exception, and no byte that was not sent. */
  @Test
  void anythingAtAllMayCome() {
    Random random = new Random(5);
    for (boolean checked : new boolean[] {false, true}) {
      UdtSettings settings = new UdtSettings(1500, 512);
      SimulatedPath path = new SimulatedPath(5, CLEAN, settings, 5);
      path.second.appetite = 0;
      path.first.toSend = 300_000;
      path.run(() -> false, SECOND);
      for (int i = 0; i < 50_000; i++) {
        byte[] packet = new byte[random.nextInt(100)];
        random.nextBytes(packet);
        if (packet.length >= 2 && i % 2 == 0) {
          packet[0] = (byte) 0x80;
          packet[1] = (byte) (random.nextInt(10) == 5 ? 4 : random.nextInt(5));
        }
        UdtConnection end = (i % 3 == 0 ? path.second : path.first).connection;
        if (checked) {
          receive(end, path.now, Unpooled.buffer().writeBytes(packet));
        } else {
          end.receive(path.now, Unpooled.wrappedBuffer(packet), 0, packet.length);
        }
      }
      assertThat(path.second.memory()).isLessThan(1_100_000);
      assertThat(path.first.memory()).isLessThan(1_100_000);
      path.release();
    }
  }

  private static boolean arrived(SimulatedPath path) {
    return path.second.received == path.first.toSend && path.first.received == path.second.toSend;
  }

  private static boolean ended(SimulatedPath path) {
    return path.first.connection.state() == State.ENDED
        && path.second.connection.state() == State.ENDED;
  }
}
