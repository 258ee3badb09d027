package io.fdt.udt.transport;

import io.fdt.core.transport.EventLoops;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A UDP socket that dispatches packets by UDT socket id. With epoll up to 44 packets are sent in
 * one piece (UDP_SEGMENT) and received in one piece (UDP_GRO); elsewhere packets are sent one by
 * one.
 *
 * <p>Confined to its event loop.
 */
final class UdpSocket extends ChannelInboundHandlerAdapter {
  /**
   * The packets of 80 ms at 1 Gbit/s, for which a loaded system may not run this thread; a packet
   * of 1,500 bytes takes 2,304. The system may grant less.
   */
  private static final int SYSTEM_BUFFER = 16 << 20;

  private static final int SOL_SOCKET = 1;

  /** EIO in Netty: the error of UDP_SEGMENT on a device without checksum offload. */
  private static final int NO_CHECKSUMS = -5;

  private static final int IPPROTO_IP = 0;
  private static final int IPPROTO_IPV6 = 41;

  /** IP_MTU_DISCOVER and IPV6_MTU_DISCOVER of ip(7) and ipv6(7). */
  private static final IntegerUnixChannelOption MTU_DISCOVER =
      new IntegerUnixChannelOption("IP_MTU_DISCOVER", IPPROTO_IP, 10);

  private static final IntegerUnixChannelOption MTU_DISCOVER_6 =
      new IntegerUnixChannelOption("IPV6_MTU_DISCOVER", IPPROTO_IPV6, 23);

  /** IP_PMTUDISC_PROBE: never fragmented, whatever the system believes of the path. */
  private static final int WHOLE = 3;

  /** IP_PMTUDISC_DONT: fragmented where a router requires it. */
  private static final int IN_FRAGMENTS = 0;

  /** A guessable id lets others end a connection. */
  private static final SecureRandom RANDOM = new SecureRandom();

  /** SO_RCVBUFFORCE of socket(7): root may exceed net.core.rmem_max. */
  private static final IntegerUnixChannelOption FORCED_BUFFER =
      new IntegerUnixChannelOption("SO_RCVBUFFORCE", SOL_SOCKET, 33);

  private final EventLoop loop;
  private final boolean epoll;
  private final IntObjectMap<PacketTarget> targets = new IntObjectHashMap<>();
  private final Set<PacketTarget> touched = new LinkedHashSet<>();
  private PacketTarget lastTouched;
  private boolean segments;
  private final DatagramBuffers buffers = new DatagramBuffers();
  private boolean full;
  private PacketTarget listener;
  private Channel channel;

  UdpSocket(EventLoop loop) {
    this.loop = loop;
    this.epoll = EventLoops.isNative(loop);
    this.segments = epoll && EventLoops.segmentsDatagrams();
  }

  /** Binds to this address; {@code shared} allows other sockets of this program there. */
  ChannelFuture bind(InetSocketAddress address, boolean shared) {
    Bootstrap bootstrap = bootstrap();
    if (shared) {
      bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
    }
    return opened(bootstrap.bind(address));
  }

  /** Connects to a peer, the only address to send to and receive from. */
  ChannelFuture connect(InetSocketAddress peer) {
    return opened(bootstrap().connect(peer));
  }

  private ChannelFuture opened(ChannelFuture opening) {
    channel = opening.channel();
    return opening;
  }

  private Bootstrap bootstrap() {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(epoll ? EpollDatagramChannel.class : NioDatagramChannel.class)
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .option(ChannelOption.SO_RCVBUF, SYSTEM_BUFFER)
            .option(ChannelOption.SO_SNDBUF, SYSTEM_BUFFER)
            .option(ChannelOption.RECVBUF_ALLOCATOR, buffers)
            // Unwritable after a flush means that the system did not accept all.
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1, 1))
            .handler(this);
    if (epoll) {
      // Netty's recvmmsg does not report coalescing: the two exclude each other.
      bootstrap.option(EpollChannelOption.UDP_GRO, true);
    }
    return bootstrap;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
  }

  /** Sets the options of an open socket, as far as the system supports them. */
  void tune() {
    if (epoll) {
      try {
        channel.config().setOption(FORCED_BUFFER, SYSTEM_BUFFER);
      } catch (ChannelException e) {
        // Only root may exceed net.core.rmem_max.
      }
    }
  }

  /** Allows or forbids fragments. Left to the system if unsupported. */
  void mayFragment(boolean may) {
    if (epoll) {
      for (IntegerUnixChannelOption option : List.of(MTU_DISCOVER, MTU_DISCOVER_6)) {
        try {
          channel.config().setOption(option, may ? IN_FRAGMENTS : WHOLE);
        } catch (ChannelException e) {
          // IPv4 sockets have only the first one.
        }
      }
    }
  }

  EventLoop loop() {
    return loop;
  }

  InetSocketAddress localAddress() {
    return (InetSocketAddress) channel.localAddress();
  }

  /** Sets the receiver of packets without a socket id, which are handshakes. */
  void setListener(PacketTarget target) {
    listener = target;
  }

  /**
   * Adds the receiver of packets with this id.
   *
   * @return false for a duplicate id
   */
  boolean add(int socket, PacketTarget target) {
    if (socket == 0 || targets.containsKey(socket)) {
      return false;
    }
    targets.put(socket, target);
    return true;
  }

  void remove(int socket) {
    targets.remove(socket);
  }

  /** Replaces a receiver. */
  void replace(int socket, PacketTarget target) {
    targets.put(socket, target);
  }

  /** A random socket id or sequence number above 0, not predictable from others. */
  static int random() {
    return 1 + RANDOM.nextInt(Integer.MAX_VALUE - 1);
  }

  /** The socket id that a packet is addressed to; the packet has 16 bytes or more. */
  static int target(ByteBuf packet, int at) {
    return packet.getInt(at + 12);
  }

  static long nowMicros() {
    return System.nanoTime() / 1000;
  }

  /**
   * Whether the system has accepted all flushed packets; otherwise {@link PacketTarget#canSend}
   * follows.
   */
  boolean isWritable() {
    return !full;
  }

  /** Sends consecutive packets; {@link #flush} follows. */
  void write(ByteBuf memory, int index, int length, int packet, InetSocketAddress peer) {
    if (length > packet && segments) {
      ByteBuf all = memory.retainedSlice(index, length);
      channel.write(new SegmentedDatagramPacket(all, packet, peer), channel.voidPromise());
      return;
    }
    for (int at = 0; at < length; at += packet) {
      ByteBuf one = memory.retainedSlice(index + at, Math.min(packet, length - at));
      writeAndRelease(one, peer);
    }
  }

  void writeAndRelease(ByteBuf packet, InetSocketAddress peer) {
    channel.write(new DatagramPacket(packet, peer), channel.voidPromise());
  }

  void flush() {
    channel.flush();
    full = !channel.isWritable();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    DatagramPacket datagram = (DatagramPacket) message;
    buffers.packet();
    try {
      ByteBuf packet = datagram.content();
      int length = packet.readableBytes();
      if (length < 16) {
        return;
      }
      ByteBuf memory = whole(packet);
      int at = packet.readerIndex() + offset(packet, memory);
      int socket = target(memory, at);
      PacketTarget target = socket == 0 ? listener : targets.get(socket);
      if (target != null) {
        target.packet(nowMicros(), memory, at, length, datagram.sender());
        if (target != lastTouched) {
          lastTouched = target;
          touched.add(target);
        }
      }
    } finally {
      datagram.release();
    }
  }

  /**
   * The memory of all packets that came in one piece: reading from it takes fewer steps, and
   * creates no objects for each packet.
   */
  private static ByteBuf whole(ByteBuf packet) {
    ByteBuf memory = packet;
    while (packet.hasMemoryAddress() && memory.unwrap() != null) {
      memory = memory.unwrap();
    }
    return memory;
  }

  private static int offset(ByteBuf packet, ByteBuf memory) {
    return packet.hasMemoryAddress() ? (int) (packet.memoryAddress() - memory.memoryAddress()) : 0;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    long now = nowMicros();
    List<PacketTarget> all = new ArrayList<>(touched);
    touched.clear();
    lastTouched = null;
    if (epoll && buffers.wantsManyDatagrams()) {
      channel.config().setOption(EpollChannelOption.UDP_GRO, false);
      channel
          .config()
          .setOption(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, DatagramBuffers.PLACE);
    }
    boolean allRead = buffers.allRead();
    for (PacketTarget target : all) {
      target.packetsEnd(now, allRead);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (full && channel.isWritable()) {
      full = false;
      loop.execute(
          () -> {
            for (PacketTarget target : new ArrayList<>(targets.values())) {
              target.canSend(nowMicros());
            }
          });
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof PortUnreachableException
        || String.valueOf(cause.getMessage()).contains("refused")) {
      for (PacketTarget target : new ArrayList<>(targets.values())) {
        target.unreachable(cause);
      }
    } else if (segments && refusesSegments(cause)) {
      segments = false; // the device of this path cannot: packets go one by one, and these are lost
    }
  }

  /** Only this error counts: any peer can make its own address unreachable. */
  private static boolean refusesSegments(Throwable cause) {
    return cause instanceof Errors.NativeIoException system && system.expectedErr() == NO_CHECKSUMS;
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    for (PacketTarget target : new ArrayList<>(targets.values())) {
      target.socketClosed();
    }
    targets.clear();
    if (listener != null) {
      listener.socketClosed();
    }
  }

  ChannelFuture close() {
    return channel.close();
  }

  boolean has(int id) {
    return targets.containsKey(id);
  }
}
