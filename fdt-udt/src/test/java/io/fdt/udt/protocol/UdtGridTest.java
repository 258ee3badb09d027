package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.udt.protocol.SimulatedPath.Conditions;
import io.fdt.udt.protocol.packet.Packets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * What one connection gets of a link in virtual time, where no processor limits, and what packets
 * of any number that get lost or damaged do to the bytes. {@code make udp-grid} runs all paths at 1
 * Gbit/s, and 10^6 packets of each kind.
 */
class UdtGridTest {
  private static final long SECOND = 1_000_000;
  private static final double GIGABIT = 1000.0 / 8 / 1500;
  private static final double[] ROUND_TRIPS = {1.65, 50, 150, 250, 400};
  private static final double[] LOSSES = {0, 0.001, 0.005, 0.1, 1};
  private static final boolean ALL = "full".equals(System.getProperty("fdt.udp.grid"));
  private static final long PACKETS = Long.getLong("fdt.udp.packets", 3000);

  /**
   * @param rate packets per microsecond
   */
  private record Cell(double rate, double roundTripMillis, double lossPercent) {
    /** Shares of the link: the last 4 s of 12, and all of them; with the start. */
    double[] measure() {
      double perTrip = rate * roundTripMillis * 1000;
      Conditions conditions =
          new Conditions(
              rate,
              (int) Math.max(170, perTrip),
              Math.round(roundTripMillis * 500),
              lossPercent / 100,
              0,
              0,
              0);
      SimulatedPath path = new SimulatedPath(7, conditions, UdtSettings.DEFAULT, 5);
      path.first.toSend = Long.MAX_VALUE / 4;
      path.run(() -> false, 8 * SECOND);
      long before = path.second.received;
      path.run(() -> false, 4 * SECOND);
      long all = path.second.received;
      path.release();
      double most = rate * UdtSettings.DEFAULT_SEGMENT;
      return new double[] {(all - before) / most / 4 / SECOND, all / most / 12 / SECOND};
    }
  }

  @Test
  void lossesAndDistanceLeaveMostOfTheLink() {
    List<Cell> cells = new ArrayList<>(List.of(new Cell(GIGABIT / 10, 150, 1)));
    if (ALL) {
      cells.clear();
      for (double roundTrip : ROUND_TRIPS) {
        for (double loss : LOSSES) {
          cells.add(new Cell(GIGABIT, roundTrip, loss));
        }
      }
    }
    for (Cell cell : cells) {
      double[] shares = cell.measure();
      System.out.printf(
          Locale.US,
          "grid %.0f Mbit/s, round trip %.2f ms, loss %.3f %%: %.2f of the link, %.2f with the"
              + " start%n",
          cell.rate * 8 * 1500,
          cell.roundTripMillis,
          cell.lossPercent,
          shares[0],
          shares[1]);
      assertThat(shares[0]).as("%s", cell).isGreaterThan(0.85);
    }
  }

  @Test
  void bytesAreTheSameWhateverIsLostOrDamaged() {
    UdtSettings small = new UdtSettings(600, 4096);
    Conditions faulty = new Conditions(0.05, 500, 5000, 0.03, 0.03, 0.001, 0.001);
    SimulatedPath path = new SimulatedPath(11, faulty, small, Packets.SEQUENCE_MASK - 100);
    path.first.toSend = Long.MAX_VALUE / 4;
    boolean enough =
        path.run(() -> path.lost >= PACKETS && path.damaged >= PACKETS, PACKETS * SECOND / 100);
    assertThat(enough).isTrue();
    assertThat(path.second.received).isGreaterThan(10 * PACKETS * small.segment());
    path.first.toSend = path.first.sent; // each byte that came was compared with its position
    assertThat(path.run(() -> path.second.received == path.first.toSend, 60 * SECOND)).isTrue();
    path.release();
  }
}
