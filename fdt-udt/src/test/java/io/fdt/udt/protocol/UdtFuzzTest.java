package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.fdt.udt.protocol.packet.Cookies;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Packets of strangers and of peers, with arbitrary bytes: no exception, no memory without bound,
 * and answers no longer than the questions.
 */
class UdtFuzzTest {
  private static final byte[] ADDRESS = {127, 0, 0, 1};
  private static final int SOCKET = 7;
  private static final int PEER = 9;
  private static final int MOST_PACKETS = 200;
  private static final int MOST_MEMORY = 1 << 20;

  @FuzzTest
  void handshake(byte[] data) {
    Listening listening = new Listening(UdtSettings.DEFAULT, new Cookies(new byte[16]));
    if (data.length >= Packets.HEADER) {
      ByteBuf packet = Unpooled.wrappedBuffer(data);
      Listening.Outcome outcome =
          listening.receive(
              0, ADDRESS, 1, packet, 0, data.length, UnpooledByteBufAllocator.DEFAULT);
      outcome
          .reply()
          .ifPresent(
              reply -> {
                assertThat(reply.readableBytes()).isLessThanOrEqualTo(data.length);
                reply.release();
              });
      assertThat(outcome.proven()).isEmpty();
    }
  }

  @FuzzTest
  void answer(byte[] data) {
    Dialing dialing = new Dialing(UdtSettings.DEFAULT, 1, SOCKET);
    dialing.transmit(0, UnpooledByteBufAllocator.DEFAULT).orElseThrow().release();
    if (data.length >= Packets.HEADER) {
      ByteBuf packet = Unpooled.wrappedBuffer(data);
      packet.setInt(12, SOCKET);
      dialing.receive(1, packet, 0, data.length);
    }
    assertThat(dialing.terms()).as("before the cookie").isEmpty();
  }

  /** The checks are made right, so that what lies behind them is reached. */
  @FuzzTest
  void packets(byte[] data) {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    UdtSettings settings = new UdtSettings(1500, 512);
    Terms terms = new Terms(5, 1500, SOCKET, PEER, 0);
    Nobody nobody = new Nobody();
    long now = 1_000_000;
    UdtConnection connection =
        new UdtConnection(allocator, WindowMemory.UNBOUNDED, terms, settings, nobody, nobody, now);
    connection.openWindow();
    connection.write(Unpooled.wrappedBuffer(new byte[100_000]));
    connection.transmit(now);
    int at = 0;
    for (int i = 0; i < MOST_PACKETS && at < data.length; i++) {
      int length = Math.min(data[at] & 0x7F, data.length - at - 1);
      byte[] packet = Arrays.copyOfRange(data, at + 1, at + 1 + length + Packets.TRAILER);
      at += 1 + length;
      CRC32C crc = new CRC32C();
      crc.update(packet, 0, length);
      Unpooled.wrappedBuffer(packet).setInt(length, (int) crc.getValue());
      now += 1000;
      connection.receive(now, Unpooled.wrappedBuffer(packet), 0, packet.length);
      connection.transmit(now);
      assertThat(connection.wakeUpMicros(now)).isGreaterThanOrEqualTo(now);
    }
    assertThat(allocator.metric().usedDirectMemory()).isLessThan(MOST_MEMORY);
    connection.release();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  /** Takes half of what comes. */
  private static final class Nobody implements Application, Datagrams {
    @Override
    public int deliver(ByteBuf memory, int index, int length) {
      return length / 2;
    }

    @Override
    public void writable() {}

    @Override
    public void data(ByteBuf memory, int index, int length, int packet) {
      assertThat(index + length).isLessThanOrEqualTo(memory.capacity());
    }

    @Override
    public void controlAndRelease(ByteBuf packet) {
      packet.release();
    }
  }
}
