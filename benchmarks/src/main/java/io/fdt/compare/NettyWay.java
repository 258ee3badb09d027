package io.fdt.compare;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Moves a file over loopback with one of Netty's transports: one event loop at each end, which also
 * reads and writes the file. A block is its offset (8 bytes) and length (4), then its bytes; there
 * are no checksums.
 *
 * @param streams connections
 * @param block bytes
 * @param transport the I/O mechanism of the event loops
 */
record NettyWay(int streams, int block, Transport transport) implements Mover {
  private static final int HEADER_BYTES = 12;

  /** Maximum size of one socket read. */
  private static final int READ_BYTES = 512 << 10;

  private static final int DEADLINE_SECONDS = 120;

  /** Transports of Netty. */
  enum Transport {
    NIO(NioSocketChannel.class, NioServerSocketChannel.class),
    EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class),
    IO_URING(IoUringSocketChannel.class, IoUringServerSocketChannel.class);

    private final Class<? extends Channel> socket;
    private final Class<? extends ServerChannel> serverSocket;

    Transport(Class<? extends Channel> socket, Class<? extends ServerChannel> serverSocket) {
      this.socket = socket;
      this.serverSocket = serverSocket;
    }

    private EventLoopGroup oneLoop() {
      IoHandlerFactory handlers =
          switch (this) {
            case NIO -> NioIoHandler.newFactory();
            case EPOLL -> EpollIoHandler.newFactory();
            case IO_URING -> IoUringIoHandler.newFactory();
          };
      return new MultiThreadIoEventLoopGroup(1, handlers);
    }
  }

  @Override
  public Ends move(Path source, Path copy) throws Exception {
    EventLoopGroup here = transport.oneLoop();
    EventLoopGroup there = transport.oneLoop();
    try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(copy, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      BlockingQueue<Long> received = new LinkedBlockingQueue<>();
      Channel server =
          new ServerBootstrap()
              .group(there)
              .channel(transport.serverSocket)
              .childOption(
                  ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
              .childHandler(
                  new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel.pipeline().addLast(new Receiver(out, received));
                    }
                  })
              .bind(InetAddress.getLoopbackAddress(), 0)
              .sync()
              .channel();
      AtomicLong next = new AtomicLong();
      List<ChannelFuture> ends = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        Channel sender =
            new Bootstrap()
                .group(here)
                .channel(transport.socket)
                .handler(new Sender(in, next, block))
                .connect(server.localAddress())
                .sync()
                .channel();
        ends.add(sender.closeFuture());
      }
      for (ChannelFuture end : ends) {
        end.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      }
      long bytes = 0;
      for (int i = 0; i < streams; i++) {
        Long some = received.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
        if (some == null) {
          throw new TimeoutException("a stream does not end");
        }
        bytes += some;
      }
      if (bytes != in.size()) {
        throw new IOException("%d bytes of %d arrived".formatted(bytes, in.size()));
      }
      return Ends.UNKNOWN;
    } finally {
      here.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      there.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  /** Sends all blocks, then closes. */
  private static final class Sender extends ChannelInboundHandlerAdapter {
    private final FileChannel file;
    private final AtomicLong next;
    private final int block;

    Sender(FileChannel file, AtomicLong next, int block) {
      this.file = file;
      this.next = next;
      this.block = block;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws IOException {
      send(context);
    }

    private void send(ChannelHandlerContext context) throws IOException {
      long at = next.getAndAdd(block);
      int length = (int) Math.min(block, file.size() - at);
      if (length <= 0) {
        context.close();
        return;
      }
      ByteBuf bytes = context.alloc().directBuffer(HEADER_BYTES + length, HEADER_BYTES + length);
      bytes.writeLong(at).writeInt(length);
      while (bytes.isWritable()) {
        int read =
            bytes.writeBytes(file, at + bytes.writerIndex() - HEADER_BYTES, bytes.writableBytes());
        if (read < 0) {
          bytes.release();
          throw new IOException("less than was promised");
        }
      }
      context
          .writeAndFlush(bytes)
          .addListener(
              done -> {
                if (!done.isSuccess()) {
                  context.close();
                  return;
                }
                try {
                  send(context);
                } catch (IOException e) {
                  context.close();
                }
              });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  /** Writes received blocks, and completes with their number of bytes at the end of the stream. */
  private static final class Receiver extends ChannelInboundHandlerAdapter {
    private final FileChannel file;
    private final BlockingQueue<Long> received;
    private ByteBuf header;
    private long at;
    private int left;
    private long bytes;

    Receiver(FileChannel file, BlockingQueue<Long> received) {
      this.file = file;
      this.received = received;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      header = context.alloc().directBuffer(HEADER_BYTES, HEADER_BYTES);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws IOException {
      ByteBuf some = (ByteBuf) message;
      try {
        while (some.isReadable()) {
          if (left == 0) {
            header.writeBytes(some, Math.min(header.writableBytes(), some.readableBytes()));
            if (!header.isWritable()) {
              at = header.readLong();
              left = header.readInt();
              header.clear();
            }
          } else {
            int count = some.readBytes(file, at, Math.min(left, some.readableBytes()));
            at += count;
            left -= count;
            bytes += count;
          }
        }
      } finally {
        some.release();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      header.release();
      received.add(bytes);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
