package io.fdt.core.transport.tcp;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.placement.Placement;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.transport.tcp.socket.CongestionControl;
import io.fdt.core.transport.tcp.socket.FrameReadAllocator;
import io.fdt.core.transport.tcp.socket.ReceiveBuffer;
import io.fdt.core.transport.tcp.socket.UnsentData;
import io.fdt.core.wire.FrameReader;
import io.fdt.core.wire.ReceivedFrame;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * A TCP connection, or a {@link StreamChannel}, that carries frames of data after its join.
 * Methods: any thread.
 */
final class TcpStream extends ChannelInboundHandlerAdapter implements DataStream {
  /**
   * Limit on bytes that wait in memory for the socket. The kernel's own buffer keeps the network
   * busy meanwhile, and a slow stream holds few bytes that another one could send.
   */
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(128 * 1024, 256 * 1024);

  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Channel channel;
  private final int number;
  private final String peer;
  private final String path;
  private final FrameReader reader;
  private final FrameReadAllocator readAllocator;
  private final boolean encrypted;
  private final String systemsCongestion;
  private final LongAdder wireBytes = new LongAdder();
  private volatile long payloadBytes;
  private Handler handler;
  private final LongAdder copiedBytes = new LongAdder();
  private FdtException failure;
  private boolean closed;
  private long segmentsRepeated;
  private long askedNanos = System.nanoTime() - ASK_NANOS;

  TcpStream(Channel channel, int number, StreamSettings settings, boolean encrypted) {
    this.channel = channel;
    this.number = number;
    this.peer = Addresses.text(channel.remoteAddress());
    this.path = host(channel.localAddress()) + " " + host(channel.remoteAddress());
    this.readAllocator = FrameReadAllocator.of(channel);
    this.systemsCongestion = CongestionControl.of(channel);
    channel.config().setOption(ChannelOption.TCP_NODELAY, true);
    this.encrypted = encrypted;
    channel.config().setWriteBufferWaterMark(WATER_MARK);
    setBuffers(channel, settings.socketBuffer());
    if (channel instanceof StreamChannel other) {
      settings.pathKey().ifPresent(other::setPathKey);
    }
    // Last: options of a channel that closed concurrently throw.
    this.reader = new FrameReader(settings.maxPayload(), channel.alloc(), settings.decoder());
  }

  /**
   * Prepares a channel for bulk data.
   *
   * @param bufferBytes of the socket's buffers; 0 leaves them to the system
   */
  static void setBuffers(Channel channel, int bufferBytes) {
    if (channel instanceof StreamChannel other) {
      other.becomeStream(bufferBytes);
    } else if (bufferBytes > 0) {
      channel.config().setOption(ChannelOption.SO_SNDBUF, bufferBytes);
      channel.config().setOption(ChannelOption.SO_RCVBUF, bufferBytes);
    } else {
      ReceiveBuffer.beginLarge(channel);
    }
  }

  private static String host(SocketAddress address) {
    return address instanceof InetSocketAddress known ? known.getAddress().getHostAddress() : "";
  }

  /**
   * Makes the handler of the stream. Called once, on the event loop, before the first frame can
   * arrive; an exception ends the stream.
   */
  void begin(Function<DataStream, Handler> handlers) {
    Placement.ofProcess().ofStream(channel.localAddress());
    try {
      handler = handlers.apply(this);
    } catch (RuntimeException | Error e) {
      reader.close();
      throw e;
    }
  }

  /** All later input is frames. On the event loop. */
  void framesFollow() {
    if (encrypted) {
      readAllocator.readLarge(); // frames come out of TLS and are copied to their buffer
    } else {
      readAllocator.readInto(reader);
    }
  }

  /** Handles a refusal by the peer. On the event loop. */
  void failed(FdtException cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public boolean isWritable() {
    return channel.isWritable();
  }

  @Override
  public void sendAndRelease(ByteBuf frame, Runnable released) {
    wireBytes.add(frame.readableBytes());
    if (WireTrace.IS_ON) {
      WireTrace.sent(peer, number, frame);
    }
    channel
        .writeAndFlush(frame)
        .addListener(
            done -> {
              released.run();
              if (!done.isSuccess() && failure == null) {
                failure = Addresses.failure(peer, done.cause());
                channel.close();
              }
            });
  }

  @Override
  public void setReading(boolean reading) {
    channel.config().setAutoRead(reading);
  }

  @Override
  public long wireBytes() {
    return wireBytes.sum();
  }

  @Override
  public long payloadBytes() {
    return payloadBytes;
  }

  @Override
  public long segmentsRepeated() {
    long now = System.nanoTime();
    if (now - askedNanos >= ASK_NANOS) {
      askedNanos = now;
      // keeps the last value after the close
      segmentsRepeated = pathState().map(PathState::retransmits).orElse(segmentsRepeated);
    }
    return segmentsRepeated;
  }

  /**
   * Bytes that were copied to their buffer, because they came from TLS or together with the join.
   */
  long copiedBytes() {
    return copiedBytes.sum();
  }

  @Override
  public Optional<PathState> pathState() {
    return TcpInfo.of(channel);
  }

  @Override
  public boolean setCongestion(String name) {
    return CongestionControl.set(channel, name.isEmpty() ? systemsCongestion : name);
  }

  @Override
  public void limitUnsent(long bytes) {
    UnsentData.limit(channel, bytes);
  }

  @Override
  public String congestion() {
    return channel instanceof StreamChannel other
        ? other.congestion()
        : CongestionControl.of(channel);
  }

  @Override
  public void close() {
    channel.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    wireBytes.add(bytes.readableBytes());
    if (failure != null) {
      bytes.release();
      return;
    }
    try {
      if (readAllocator.isTarget(bytes)) {
        int count = bytes.readableBytes();
        bytes.release();
        reader.advance(count, this::frame);
      } else {
        copiedBytes.add(bytes.readableBytes());
        reader.copyAndRelease(bytes, this::frame);
      }
      payloadBytes = reader.payloadBytes();
    } catch (FdtException e) {
      failure = e;
      context.close();
    }
  }

  private void frame(ReceivedFrame frame) throws FdtException {
    if (WireTrace.IS_ON) {
      WireTrace.received(peer, number, frame);
    }
    handler.frame(frame);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      handler.writable();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (closed) {
      return;
    }
    closed = true;
    reader.close();
    handler.closed(
        failure != null
            ? failure
            : new FdtException(
                ErrorCode.UNREACHABLE, "stream " + number + " to " + peer + " was closed"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed(Addresses.failure(peer, cause));
    context.close();
  }
}
