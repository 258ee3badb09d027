package io.fdt.udt.transport;

import com.sun.management.ThreadMXBean;
import io.fdt.core.transport.EventLoops;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.tcp.StreamChannel;
import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.UdtSettings;
import io.fdt.udt.protocol.packet.Cookies;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The cost of one UDT channel over loopback, from memory to memory: rate, and per end the CPU time
 * and the allocated bytes of its thread.
 *
 * <p>Arguments: seconds of each run (default 5), longest packet (default 1500). Runs unencrypted,
 * then encrypted, each after a warm-up of 3 s.
 */
public final class ChannelCost {
  private static final int WARM_UP_SECONDS = 3;
  private static final int PIECE = 1 << 20;
  private static final int READ = 256 << 10;
  private static final long MEMORY = 512L << 20;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final boolean encrypted;
  private final PathKey key = new PathKey(new byte[32]);
  private final ByteBuf data = Unpooled.directBuffer(PIECE).writeZero(PIECE);
  private final AtomicLong received = new AtomicLong();

  private ChannelCost(boolean encrypted) {
    this.encrypted = encrypted;
  }

  public static void main(String[] arguments) throws Exception {
    int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
    int segment = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1500;
    for (boolean encrypted : new boolean[] {false, true}) {
      new ChannelCost(encrypted).run(seconds, segment);
    }
  }

  /** The processor time of a thread. */
  private record Use(long cpuNanos, long allocatedBytes) {
    static Use of(EventLoop loop) throws Exception {
      long thread = loop.submit(() -> Thread.currentThread().getId()).get();
      return new Use(THREADS.getThreadCpuTime(thread), THREADS.getThreadAllocatedBytes(thread));
    }

    String since(Use before, double gibibytes, double packets) {
      return String.format(
          Locale.US,
          "%.2f CPU s/GiB, %.0f B of objects a packet",
          (cpuNanos - before.cpuNanos) / 1e9 / gibibytes,
          (allocatedBytes - before.allocatedBytes) / packets);
    }
  }

  private void run(int seconds, int segment) throws Exception {
    UdtSettings settings = UdtSettings.DEFAULT.withSegment(segment);
    SharedWindows memory = new SharedWindows(MEMORY);
    try (EventLoops listeners = new EventLoops("listener");
        EventLoops dialers = new EventLoops("dialer")) {
      EventLoop listening = listeners.next();
      EventLoop dialing = dialers.next();
      UdpSocket socket = new UdpSocket(listening);
      UdtPort port =
          new UdtPort(
              socket,
              new Cookies(new byte[32]),
              settings,
              memory,
              PooledByteBufAllocator.DEFAULT,
              (channel, address) -> receive(channel));
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), false).sync();
      socket.loop().submit(socket::tune).sync();
      UdtChannel channel =
          UdtDial.dial(
                  dialing,
                  socket.localAddress(),
                  settings,
                  memory,
                  PooledByteBufAllocator.DEFAULT,
                  Duration.ofSeconds(5),
                  made -> made.pipeline().addLast(new Sender()))
              .get();
      channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(2 * PIECE, 4 * PIECE));
      channel.writeAndFlush(data.retainedSlice(0, 1)); // as the join does
      TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
      Use dialer = Use.of(dialing);
      Use listener = Use.of(listening);
      PathState before = channel.pathState().orElseThrow();
      long start = System.nanoTime();
      long first = received.get();
      TimeUnit.SECONDS.sleep(seconds);
      double gibibytes = (received.get() - first) / (double) (1 << 30);
      double elapsed = (System.nanoTime() - start) / 1e9;
      PathState after = channel.pathState().orElseThrow();
      long packets = after.segments() - before.segments();
      System.out.printf(
          Locale.US,
          "%s, packets of %d bytes: %.0f MB/s, %d packets, %d of them repeated%n",
          encrypted ? "encrypted" : "clear",
          segment,
          gibibytes * (1 << 30) / 1e6 / elapsed,
          packets,
          after.retransmits() - before.retransmits());
      System.out.println("  sender   " + Use.of(dialing).since(dialer, gibibytes, packets));
      System.out.println("  receiver " + Use.of(listening).since(listener, gibibytes, packets));
      port.close();
      channel.close().sync();
    }
  }

  private void become(Channel channel) {
    StreamChannel stream = (StreamChannel) channel;
    stream.becomeStream(0);
    if (encrypted) {
      stream.seal(key);
    }
  }

  private void receive(Channel channel) {
    channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ));
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              private boolean joined;

              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                ByteBuf bytes = (ByteBuf) message;
                received.addAndGet(bytes.readableBytes());
                bytes.release();
                if (!joined) {
                  joined = true;
                  channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[1]));
                  become(channel);
                }
              }
            });
  }

  /** Sends as long as the channel is writable, once the handshake is complete. */
  private final class Sender extends ChannelInboundHandlerAdapter {
    private boolean joined;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ((ByteBuf) message).release();
      if (!joined) {
        joined = true;
        become(context.channel());
        fill(context.channel());
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      if (joined) {
        fill(context.channel());
      }
    }

    private void fill(Channel channel) {
      while (channel.isActive() && channel.isWritable()) {
        channel.write(data.retainedDuplicate());
      }
      channel.flush();
    }
  }
}
