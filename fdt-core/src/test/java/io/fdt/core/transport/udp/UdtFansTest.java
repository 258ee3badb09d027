package io.fdt.core.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Fan;
import io.fdt.core.transport.FansContract;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.RawLine;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Fans of connections over UDP. */
class UdtFansTest extends FansContract {
  @Override
  protected Transport transport(
      EventLoops own, ByteBufAllocator memory, Duration deadline, Fan fan) {
    return udt(own, memory, deadline, fan);
  }

  static UdtTransport udt(EventLoops own, ByteBufAllocator memory, Duration deadline, Fan fan) {
    return new UdtTransport(
        own,
        memory,
        deadline,
        new TcpTransport(own, memory, deadline),
        UdtTransportTest.SETTINGS,
        UdtTransport.Dials.UDP,
        Optional.empty(),
        fan);
  }

  @Override
  protected RawLine line(InetSocketAddress address) throws Exception {
    UdtTransport dialer = udt(loops, UnpooledByteBufAllocator.DEFAULT, PATIENT, Fan.NONE);
    return UdtLine.dial(dialer.datagrams().orElseThrow(), loops.next(), address);
  }

  /** It says no goodbye: its end is known when nothing has come for 15 s. */
  @Test
  void aConnectionThatFallsSilentEndsTheStream() throws Exception {
    serve(PATIENT);
    try (LossyForwarder between = new LossyForwarder(address().getPort(), 0, 1)) {
      RawLine first = member(address(), 2, 0);
      member(new InetSocketAddress(address().getAddress(), between.port()), 2, 1);
      first.write(cell(0, join()));
      joined.get(20, TimeUnit.SECONDS);
      between.dropLonger(0, 0);

      assertClosed(first);
      Awaitility.await().atMost(PATIENT).until(() -> !joined.join().isWritable());
    }
  }

  @Test
  void rateControlIsThatOfEachConnection() throws Exception {
    serve(PATIENT);
    DataStream stream = open(3);

    Awaitility.await().atMost(PATIENT).until(() -> stream.congestion().startsWith("udt-"));
    assertThat(stream.setCongestion("cubic")).isFalse();
    Awaitility.await()
        .atMost(PATIENT)
        .until(() -> stream.pathState().map(PathState::segments).orElse(0L) >= 3);
    stream.close();
  }
}
