package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.PathState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Where struct tcp_info has what (include/uapi/linux/tcp.h of Linux). */
class TcpInfoTest {
  @Test
  void eachFigureIsReadFromItsPlace() {
    ByteBuffer info = ByteBuffer.allocate(216).order(ByteOrder.nativeOrder());
    info.putInt(68, 1); // tcpi_rtt
    info.putInt(16, 9000); // tcpi_snd_mss
    info.putInt(80, 3); // tcpi_snd_cwnd
    info.putInt(144, -1); // tcpi_notsent_bytes, unsigned
    info.putInt(100, 2); // tcpi_total_retrans
    info.putLong(120, 9); // tcpi_bytes_acked
    info.putLong(128, 10); // tcpi_bytes_received
    info.putInt(136, -3); // tcpi_segs_out, unsigned
    info.putInt(148, 4); // tcpi_min_rtt
    info.putLong(160, 8); // tcpi_delivery_rate
    info.putLong(168, 5); // tcpi_busy_time
    info.putLong(176, 6); // tcpi_rwnd_limited
    info.putLong(184, 7); // tcpi_sndbuf_limited

    assertThat(TcpInfo.read(info))
        .isEqualTo(new PathState(1, 4, 0xFFFF_FFFDL, 2, 5, 6, 7, 8, 27_000, 0xFFFF_FFFFL, 19));
  }
}
