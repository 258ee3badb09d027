package io.fdt.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.NettySessionLoop;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.AddressRange;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.Identity;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ForwardingTransport;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.udt.transport.UdtTransport;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StreamDialerTest {
  private final EventLoops loops = new EventLoops("test-dialer");
  private final Queue<String> dialled = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    loops.close();
  }

  private final class Dialled extends ForwardingTransport {
    private final Transport transport;

    Dialled(Transport transport) {
      super(transport);
      this.transport = transport;
    }

    @Override
    public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
      dialled.add(peer.getAddress().getHostAddress());
      return super.dialData(peer);
    }

    @Override
    public Optional<DataDialer> udp() {
      return transport
          .udp()
          .map(
              udp ->
                  peer -> {
                    dialled.add("udp " + peer.getAddress().getHostAddress());
                    return udp.dialData(peer);
                  });
    }
  }

  private static final class NoOwner implements StreamDialer.Owner {
    @Override
    public DataStream.Handler attach(DataStream stream) {
      throw new AssertionError("no stream is taken here");
    }

    @Override
    public void failed(FdtException cause) {
      throw new AssertionError(cause);
    }
  }

  private static DataNode node(String host, int port) {
    return DataNode.newBuilder()
        .setHost(host)
        .setPort(port)
        .setKey(ByteString.copyFrom(Identity.generate().fingerprint().digest()))
        .build();
  }

  /** A peer names the addresses of its data nodes: any, so that it could have others probed. */
  @Test
  void dataNodesAreDialledAtAllowedAddressesOnly() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      int port = listener.getLocalPort();
      DialRule rule = DialRule.only(List.of(AddressRange.parse("127.0.0.1")));
      StreamTerms terms =
          new StreamTerms(
              new SessionId(1, 2),
              new byte[32],
              TransferSpec.builder().build(),
              Optional.empty(),
              rule,
              Duration.ofMinutes(1),
              Duration.ofMinutes(1),
              false);
      NettySessionLoop loop =
          new NettySessionLoop(
              loops.next(),
              defect -> {
                throw new AssertionError(defect);
              });
      Transport transport =
          new Dialled(
              Node.TCP.create(loops, UnpooledByteBufAllocator.DEFAULT, Duration.ofSeconds(20)));
      StreamDialer dialer =
          new StreamDialer(loop, new PreconnectedSockets(transport), terms, 0, true, new NoOwner());

      loop.run(
          () -> dialer.setTargets(List.of(node("127.0.0.9", port), node("127.0.0.1", port)), 1));

      await().atMost(Duration.ofSeconds(20)).until(() -> dialled.contains("127.0.0.1"));
      assertThat(dialled).doesNotContain("127.0.0.9");
      loop.run(dialer::stop);
    }
  }

  /** Data moves to UDP, and back, in the middle of a transfer. */
  @Test
  void streamsAreDialledInTheWayThatIsUsedNow() {
    PreconnectedSockets sockets =
        new PreconnectedSockets(
            new Dialled(
                UdtTransport.AUTO.create(
                    loops, UnpooledByteBufAllocator.DEFAULT, Duration.ofSeconds(20))));
    InetSocketAddress peer = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
    sockets.watchUdp(Duration.ofSeconds(20), failure -> {});

    sockets.take(peer);
    sockets.useUdp(true);
    sockets.take(peer);
    sockets.useUdp(false);
    sockets.take(peer);
    assertThat(dialled).containsExactly("127.0.0.1", "udp 127.0.0.1", "127.0.0.1");
  }

  @Test
  void eachMachineGetsOneStreamAtLeast() {
    TransferSpec four = TransferSpec.builder().streams(4).build();
    assertThat(StreamDialer.share(four, 1)).isEqualTo(4);
    assertThat(StreamDialer.share(four, 3)).isEqualTo(2);
    assertThat(StreamDialer.share(four, 9)).isEqualTo(1);
  }
}
