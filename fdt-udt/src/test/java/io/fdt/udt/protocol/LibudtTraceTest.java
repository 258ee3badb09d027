package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.udt.protocol.packet.Cookies;
import io.fdt.udt.protocol.packet.Packets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Packets that two ends of libudt 4.11 exchanged over a path that loses packets: a line for each,
 * data packets without their payload.
 */
class LibudtTraceTest {
  private static final int INITIAL = 0x08c9_a45a;

  /** Numbers of the lost packets, and what the receiver sent. */
  private final List<Integer> lost = new ArrayList<>();

  private final List<ByteBuf> handshakes = new ArrayList<>();
  private final List<ByteBuf> reports = new ArrayList<>();

  @BeforeEach
  void read() throws Exception {
    try (InputStream trace = LibudtTraceTest.class.getResourceAsStream("libudt-4.11.txt")) {
      String text = new String(trace.readAllBytes(), StandardCharsets.US_ASCII);
      for (String line : text.split("\n")) {
        String[] words = line.split(" ");
        String hex = words[words.length - 1];
        ByteBuf packet = Unpooled.buffer().writeBytes(ByteBufUtil.decodeHexDump(hex));
        if (words.length == 3) {
          lost.add(packet.getInt(0));
        } else if (Packets.isControl(packet, 0)) {
          switch (Packets.type(packet, 0)) {
            case Packets.HANDSHAKE -> handshakes.add(packet);
            case Packets.NAK -> reports.add(packet);
            default -> {}
          }
        }
      }
    }
  }

  @Test
  void aClientOfLibudtGetsNoAnswer() {
    Listening listening = new Listening(UdtSettings.DEFAULT, new Cookies(new byte[16]));
    assertThat(handshakes).hasSize(4);
    for (ByteBuf packet : handshakes) {
      Listening.Outcome outcome =
          listening.receive(
              0,
              new byte[4],
              1,
              packet,
              0,
              packet.readableBytes(),
              UnpooledByteBufAllocator.DEFAULT);
      assertThat(outcome.reply()).isEmpty();
      assertThat(outcome.proven()).isEmpty();
    }
  }

  /** The layout of loss reports is UDT's. */
  @Test
  void lossesThatLibudtReportsAreUnderstood() {
    SimulatedPath.Conditions clean = new SimulatedPath.Conditions(0.00833, 333, 10_000, 0, 0, 0, 0);
    SimulatedPath path = new SimulatedPath(1, clean, UdtSettings.DEFAULT, INITIAL);
    path.blackHole = true;
    path.first.toSend = 200_000;
    path.run(() -> false, 50_000);
    long number = 0;
    for (ByteBuf report : reports) {
      int range = report.getInt(Packets.HEADER);
      int first = range & Packets.SEQUENCE_MASK;
      int last = range < 0 ? report.getInt(Packets.HEADER + 4) : first;
      for (int sequence = first; sequence <= last; sequence++) {
        assertThat(lost).contains(sequence);
      }
      if (last - INITIAL < path.first.connection.output().packets()) {
        number += last - first + 1;
        ByteBuf packet = SimulatedEnd.checked(report);
        path.first.connection.receive(path.now, packet, 0, packet.readableBytes());
        assertThat(path.first.connection.toString()).contains(" lost=" + number + " ");
      }
    }
    assertThat(number).isGreaterThan(3);
    path.release();
  }
}
