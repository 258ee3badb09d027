package io.fdt.core.transport.udp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.TransportContract;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.transport.udp.UdtTransport.Dials;
import io.fdt.core.udt.UdtSettings;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;

/** Control over TCP and data over UDP, on the loopback address of IPv6. */
class UdtOverIpv6Test extends TransportContract {
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
    try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(loopback(), 0))) {
      assumeTrue(socket.isBound());
    } catch (IOException e) {
      assumeTrue(false, "no IPv6 here: " + e.getMessage());
    }
  }

  @Override
  protected Transport.Factory factory() {
    return (loops, allocator, timeout) ->
        new OnLoopback6(
            new UdtTransport(
                loops,
                allocator,
                timeout,
                new TcpTransport(loops, allocator, timeout),
                UdtSettings.DEFAULT,
                Dials.UDP));
  }

  private record OnLoopback6(Transport udt) implements Transport {
    @Override
    public CompletableFuture<SecuredControl> dialControl(
        EventLoop loop,
        InetSocketAddress peer,
        ClientTls tls,
        String host,
        Consumer<Duration> reached,
        Function<ControlConnection, ControlConnection.Handler> handlers) {
      return udt.dialControl(loop, peer, tls, host, reached, handlers);
    }

    @Override
    public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
      return udt.dialData(peer);
    }

    @Override
    public Listener listen(InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
        throws FdtException {
      InetSocketAddress here = new InetSocketAddress(loopback(), address.getPort());
      return udt.listen(here, settings, acceptor);
    }
  }
}
