package io.fdt.udt.transport;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.BothWaysContract;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ForwardingTransport;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.udt.transport.UdtTransport.Dials;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Control over TCP and data over UDP, on the loopback address of IPv6. What listens has Java's own
 * sockets, as on systems without epoll.
 */
class UdtOverIpv6Test extends BothWaysContract {
  private static final List<EventLoops> USED = new ArrayList<>();

  @AfterAll
  static void stop() {
    USED.forEach(EventLoops::close);
    USED.clear();
  }

  private static InetAddress loopback() {
    try {
      byte[] one = new byte[16];
      one[15] = 1;
      return InetAddress.getByAddress(one);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // 16 bytes are an address
    }
  }

  @BeforeAll
  static void systemHasIpv6() {
    assumeTrue(hasIpv6(), "this system has no IPv6");
  }

  private static boolean hasIpv6() {
    try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(loopback(), 0))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  protected Transport.Factory factory() {
    return (loops, allocator, timeout) -> {
      EventLoops ofJava = EventLoops.ofJava("test-java");
      USED.add(ofJava);
      TcpTransport control = new TcpTransport(loops, allocator, timeout);
      return new OnLoopback6(
          new UdtTransport(
              loops, allocator, timeout, control, UdtTransportTest.SETTINGS, Dials.UDP),
          new UdtTransport(
              ofJava, allocator, timeout, control, UdtTransportTest.SETTINGS, Dials.UDP));
    };
  }

  private static final class OnLoopback6 extends ForwardingTransport {
    private final Transport listens;

    OnLoopback6(Transport dials, Transport listens) {
      super(dials);
      this.listens = listens;
    }

    @Override
    public Listener listen(InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
        throws FdtException {
      InetSocketAddress here = new InetSocketAddress(loopback(), address.getPort());
      return listens.listen(here, settings, acceptor);
    }
  }
}
