package io.fdt.udt.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerTls;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.DataTls;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.transport.TestServer;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.JoinAnswer;
import io.fdt.core.wire.PathKey;
import io.fdt.core.wire.Preface;
import io.fdt.core.wire.ReceivedFrame;
import io.fdt.udt.protocol.WindowMemory;
import io.fdt.udt.protocol.packet.Cookies;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clear bytes behind the join of a stream whose packets are encrypted: somebody else's. */
class SealedJoinTest {
  private static final int SECONDS = 30;
  private static final Duration DEADLINE = Duration.ofSeconds(SECONDS);
  private static final byte[] FORGED = new byte[40];
  private static final StreamSettings SETTINGS =
      TestServer.SETTINGS.withPathKey(new PathKey(new byte[32]));

  private final EventLoops loops = new EventLoops("test-sealed");
  private final UdtTransport transport =
      new UdtTransport(
          loops,
          ByteBufAllocator.DEFAULT,
          DEADLINE,
          new TcpTransport(loops, ByteBufAllocator.DEFAULT, DEADLINE),
          UdtTransportTest.SETTINGS,
          UdtTransport.Dials.UDP);
  private final AtomicInteger streams = new AtomicInteger();

  @AfterEach
  void close() {
    loops.close();
  }

  private final class Streams implements Acceptor {
    @Override
    public Optional<ErrorCode> refusal(InetAddress address) {
      return Optional.empty();
    }

    @Override
    public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
      throw new AssertionError("no control connection is dialled here");
    }

    @Override
    public StreamSlot join(Join join, String peer, boolean encrypted) {
      streams.incrementAndGet();
      return new StreamSlot(SETTINGS, stream -> new Deaf(), () -> {});
    }
  }

  private static final class Deaf implements DataStream.Handler {
    @Override
    public void frame(ReceivedFrame frame) {
      frame.release();
    }

    @Override
    public void writable() {}

    @Override
    public void closed(FdtException cause) {}
  }

  @Test
  void aServerRefusesAStreamWithClearBytesBehindItsJoin() throws Exception {
    assertThat(answerTo(new byte[0]).isAccepted()).isTrue();
    assertThat(streams).hasValue(1);
    assertThat(answerTo(FORGED).refusal()).contains(ErrorCode.PROTOCOL);
    assertThat(streams).hasValue(1);
  }

  private JoinAnswer answerTo(byte[] forged) throws Exception {
    try (ServerTls tls = new ServerTls(Identity.generate(), List.of());
        Transport.Listener listener =
            transport.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ListenSettings(CompletableFuture.completedFuture(tls), 16, DEADLINE),
                new Streams());
        UdtLine line =
            UdtLine.dial(transport.datagrams().orElseThrow(), loops.next(), listener.address())) {
      ByteBuf bytes = Unpooled.buffer();
      Preface.ofSealedData().write(bytes);
      Join.prove(TestServer.SESSION, 0, TestServer.SECRET).write(bytes);
      bytes.writeBytes(forged);
      line.write(ByteBufUtil.getBytes(bytes));
      line.read(Preface.LENGTH);
      return JoinAnswer.read(Unpooled.wrappedBuffer(line.read(JoinAnswer.LENGTH)));
    }
  }

  @Test
  void aClientDropsAStreamWithClearBytesBehindTheAnswer() throws Exception {
    UdpSocket socket = new UdpSocket(loops.next());
    UdtPort port =
        new UdtPort(
            socket,
            new Cookies(new byte[16]),
            UdtTransportTest.SETTINGS,
            WindowMemory.UNBOUNDED,
            ByteBufAllocator.DEFAULT,
            (channel, address) -> channel.pipeline().addLast(new Forger(channel)));
    socket
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), false)
        .get(SECONDS, TimeUnit.SECONDS);
    DataTls tls =
        new DataTls(new ClientTls(List.of(), Optional.empty()), Identity.generate().fingerprint());

    CompletableFuture<DataStream> stream =
        transport
            .dialData(socket.localAddress())
            .thenCompose(
                line ->
                    line.join(
                        Join.prove(TestServer.SESSION, 0, TestServer.SECRET),
                        SETTINGS,
                        Optional.of(tls),
                        true,
                        opened -> {
                          streams.incrementAndGet();
                          return new Deaf();
                        }));

    Throwable failure = stream.handle((value, e) -> e).get(SECONDS, TimeUnit.SECONDS);
    assertThat(failure).hasMessageContaining("clear data in encrypted data stream");
    assertThat(streams).hasValue(0);
    port.close();
  }

  /** Agrees to any join, with clear bytes in the same packet. */
  private static final class Forger extends ChannelInboundHandlerAdapter {
    private final ByteBuf come = Unpooled.buffer();

    Forger(Channel channel) {
      channel.config().setAutoRead(true);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      come.writeBytes(bytes);
      bytes.release();
      if (come.readableBytes() == Preface.LENGTH + Join.LENGTH) {
        ByteBuf answer = Unpooled.buffer();
        Preface.of(Preface.Kind.ANSWER).write(answer);
        JoinAnswer.ACCEPTED.write(answer);
        answer.writeBytes(FORGED);
        context.writeAndFlush(answer);
      }
    }
  }
}
