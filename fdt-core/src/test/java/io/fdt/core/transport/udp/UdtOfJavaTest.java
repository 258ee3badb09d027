package io.fdt.core.transport.udp;

import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.TransportContract;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.transport.udp.UdtTransport.Dials;
import io.fdt.core.udt.UdtSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** Data over UDP with Java's own sockets, as on systems without epoll. */
class UdtOfJavaTest extends TransportContract {
  private static final List<EventLoops> USED = new ArrayList<>();

  @AfterAll
  static void stop() {
    USED.forEach(EventLoops::close);
    USED.clear();
  }

  @Override
  protected Transport.Factory factory() {
    return (loops, allocator, timeout) -> {
      EventLoops ofJava = EventLoops.ofJava("test-java");
      USED.add(ofJava);
      TcpTransport control = new TcpTransport(loops, allocator, timeout);
      return new UdtTransport(ofJava, allocator, timeout, control, UdtSettings.DEFAULT, Dials.UDP);
    };
  }
}
