package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.Fan;
import io.fdt.core.transport.FansContract;
import io.fdt.core.transport.RawLine;
import io.fdt.core.transport.Transport;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Fans of connections of TCP. */
class FansTest extends FansContract {
  @Override
  protected Transport transport(
      EventLoops own, ByteBufAllocator memory, Duration deadline, Fan fan) {
    return new TcpTransport(own, memory, deadline, Optional.empty(), fan);
  }

  @Override
  protected RawLine line(InetSocketAddress address) throws IOException {
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout(Math.toIntExact(PATIENT.toMillis()));
    socket.setTcpNoDelay(true);
    return new SocketLine(socket);
  }

  private record SocketLine(Socket socket) implements RawLine {
    @Override
    public void write(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
    }

    @Override
    public byte[] read(int count) throws IOException {
      return socket.getInputStream().readNBytes(count);
    }

    @Override
    public byte[] readAll() throws IOException {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      try {
        socket.getInputStream().transferTo(all);
      } catch (SocketException e) {
        assertThat(e).hasMessageContaining("reset");
      }
      return all.toByteArray();
    }

    @Override
    public void breakOff() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** As one that asks a relay to connect further. */
  @Test
  void aChannelThatSpeaksAsSoonAsItIsActiveIsHeard() throws Exception {
    serve(PATIENT);
    EventLoop loop = loops.next();
    CompletableFuture<Channel> dialed = new CompletableFuture<>();
    loop.execute(
        () ->
            FanDial.dial(
                    loop,
                    new TcpChannels(allocator, PATIENT),
                    address(),
                    2,
                    fan -> fan.pipeline().addLast(new JoinInPieces()))
                .thenAccept(dialed::complete));
    Channel fan = dialed.get(20, TimeUnit.SECONDS);

    joined.get(20, TimeUnit.SECONDS);
    fan.close();
  }

  /** Sends more pieces than the fan has connections. */
  private static final class JoinInPieces extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      for (byte one : join()) {
        context.writeAndFlush(context.alloc().buffer(1).writeByte(one));
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ReferenceCountUtil.release(message);
    }
  }

  @Test
  void congestionControlIsThatOfEachConnection() throws Exception {
    Assumptions.assumeTrue(Epoll.isAvailable() && CongestionControl.isUsable("reno"));
    serve(PATIENT);
    DataStream stream = open(3);

    assertThat(stream.setCongestion("reno")).isTrue();
    assertThat(stream.congestion()).isEqualTo("reno");
    assertThat(stream.pathState()).isPresent();
    assertThat(stream.pathState().get().segments()).isGreaterThanOrEqualTo(3 * 2);
    assertThat(stream.setCongestion("none-such")).isFalse();
    assertThat(CongestionControl.isUsable("none-such")).isFalse();
    stream.close();
  }
}
