package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.udt.protocol.SimulatedPath.Conditions;
import io.fdt.udt.protocol.UdtConnection.State;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.transport.SharedWindows;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Packets that a peer should not send, numbers that wrap around, and memory that is short. */
class HostilePeerTest {
  private static final long SECOND = 1_000_000;
  private static final int INITIAL = 5;
  private static final int FIRST_SOCKET = 11;
  private static final int SECOND_SOCKET = 22;

  /** 100 Mbit/s, 20 ms there and back, a queue of 40 ms. */
  private static final Conditions CLEAN = new Conditions(0.00833, 333, 10_000, 0, 0, 0, 0);

  private static final UdtSettings SETTINGS = new UdtSettings(1500, 4096);

  @Test
  void anEmptyPacketBehindAHoleIsNothing() {
    SimulatedPath path = new SimulatedPath(1, CLEAN, SETTINGS, INITIAL);
    data(path, 200, 0);
    data(path, 1, 0);
    for (int index = 0; index < 200; index++) {
      data(path, index, index == 1 ? 0 : 1);
    }

    assertThat(path.second.received).isEqualTo(199);
    path.release();
  }

  /** The peer's clock wraps around after 71 minutes; half of that is no way back. */
  @Test
  void aConnectionThatWasIdleForHoursIsAsFastAsBefore() {
    SimulatedPath path = new SimulatedPath(2, CLEAN, UdtSettings.DEFAULT, INITIAL);
    for (long minutes : new long[] {0, 40, 71, 110, 300}) {
      path.run(() -> false, minutes * 60 * SECOND);
      path.first.toSend += 20_000_000;
      long start = path.now;
      boolean arrived = path.run(() -> path.second.received == path.first.toSend, 30 * SECOND);
      assertThat(arrived).as("%d minutes", minutes).isTrue();
      assertThat(path.now - start).as("%d minutes", minutes).isLessThan(3 * SECOND);
    }
    path.release();
  }

  @Test
  void numbersOfAcknowledgementsWrapAround() {
    AckLog log = new AckLog(0, Integer.MAX_VALUE - 3);
    for (int i = 0; i < 1000; i++) {
      int number = log.sent(i * 1000L);
      assertThat(log.isConfirmed()).isFalse();
      log.confirmed(i * 1000L + 300, number);
      assertThat(log.isConfirmed()).isTrue();
      assertThat(log.lastRoundTripMicros()).isEqualTo(300);
      log.confirmed(i * 1000L + 900, number + 1);
      log.confirmed(i * 1000L + 900, number - 600);
      assertThat(log.lastRoundTripMicros()).as("never sent, or long ago").isEqualTo(300);
    }
  }

  /** Each of hundreds of ranges could be the whole window: looking at all takes too long. */
  @Test
  void aLossReportThatGoesBackIsBelievedOnlyUpToThere() {
    SimulatedPath path = new SimulatedPath(3, CLEAN, SETTINGS, INITIAL);
    path.blackHole = true;
    path.first.toSend = 1_000_000;
    path.run(() -> false, 1000);
    ByteBuf nak = Unpooled.buffer();
    Packets.control(nak, Packets.NAK, 0, 0, FIRST_SOCKET);
    nak.writeInt(INITIAL + 4);
    nak.writeInt((INITIAL + 7) | Packets.RANGE_BIT).writeInt(INITIAL + 8);
    nak.writeInt(INITIAL | Packets.RANGE_BIT).writeInt(INITIAL + 15);
    SimulatedEnd.checked(nak);
    path.first.connection.receive(path.now, nak, 0, nak.readableBytes());

    assertThat(path.first.connection.toString()).contains(" lost=3 ");
    path.release();
  }

  @Test
  void anEndThatWaitsForItsPeerWaitsNotForever() {
    SimulatedPath path = new SimulatedPath(4, CLEAN, SETTINGS, INITIAL);
    path.second.connection.holdUntilHeard();
    path.blackHole = true;
    path.second.toSend = 1000;
    path.run(() -> path.second.connection.state() == State.ENDED, 20 * SECOND);
    assertThat(path.second.connection.reason()).isEqualTo("no packet for 15 s");
    assertThat(path.second.connection.output().packets()).isZero();
    path.release();
  }

  /** 10 Mbit/s for 100 s are 125 MB; the window could be 48 MB. */
  @Test
  void aSlowPathHasASmallWindow() {
    Conditions slow = new Conditions(0.000_833, 100, 10_000, 0, 0, 0, 0);
    SimulatedPath path = new SimulatedPath(5, slow, UdtSettings.DEFAULT, INITIAL);
    path.first.toSend = 200_000_000;
    path.second.appetite = 1_000_000;
    path.run(() -> false, 100 * SECOND);

    assertThat(path.second.memory()).isLessThan(1_000_000);
    assertThat(path.first.memory()).isLessThan(1_500_000);
    path.release();
  }

  /** Readers stop one after the other, so that each could have taken what was left. */
  @Test
  void manyConnectionsHaveOneMemory() {
    int most = 8 << 20;
    SharedWindows memory = new SharedWindows(most);
    Conditions fast = new Conditions(0.0833, 4000, 20_000, 0.001, 0, 0, 0);
    List<SimulatedPath> paths = new ArrayList<>();
    long used = 0;
    for (int i = 0; i < 16; i++) {
      SimulatedPath path = new SimulatedPath(i, fast, UdtSettings.DEFAULT, INITIAL, memory);
      path.first.toSend = 6_000_000;
      path.second.appetite = 3_000_000;
      path.run(() -> false, 3 * SECOND);
      paths.add(path);
    }
    for (SimulatedPath path : paths) {
      used += path.first.memory() + path.second.memory();
    }
    assertThat(memory.taken()).isBetween(most / 4L, (long) most);
    assertThat(used).as("with two slabs of each").isLessThan(most + 16 * 600_000L);

    for (SimulatedPath path : paths) {
      path.second.appetite = Long.MAX_VALUE;
      path.second.connection.deliver();
      boolean arrived = path.run(() -> path.second.received == path.first.toSend, 60 * SECOND);
      assertThat(arrived).as("%s; %s", path.first.connection, path.second.connection).isTrue();
      path.release();
    }
    assertThat(memory.taken()).isZero();
  }

  private static void data(SimulatedPath path, int index, int length) {
    ByteBuf packet = Unpooled.buffer();
    packet.writeZero(Packets.HEADER);
    Packets.data(packet, 0, INITIAL, index, SECOND_SOCKET);
    for (int i = 0; i < length; i++) {
      packet.writeByte(SimulatedEnd.at(index - (index > 1 ? 1 : 0)));
    }
    SimulatedEnd.checked(packet);
    path.second.connection.receive(path.now, packet, 0, packet.readableBytes());
  }
}
