package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.MadeChannel;
import io.fdt.core.transport.PathState;
import io.fdt.core.udt.PathKey;
import io.fdt.core.wire.FanCell;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * A channel of bytes over several connections. The bytes are cut into cells; each goes to a
 * connection that has nothing to send, and the other end puts them in order.
 *
 * <pre>
 *   write --> FanChoice --> connection 0 --> FanOrder --> pipeline of the other end
 *                      \--> connection 1 --/
 *                       \-> connection 2 -/
 * </pre>
 *
 * <p>A write is done when all of it is in cells: of each connection at most one cell waits in
 * memory besides what its socket holds. The channel is writable again when a socket takes more.
 *
 * <p>Closing it drops writes that are not done; cells leave first, and then the end, for up to
 * {@link #CLOSE_SECONDS}. When one connection breaks, or closes without an end, the channel closes
 * as if a connection of TCP were reset: nothing is sent again here.
 *
 * <p>Memory: what waits for an earlier cell, at most {@link #MOST_WAITING} and one read of each
 * connection; see {@link #mayRead}. Confined to its event loop; the connections may run on others.
 */
final class FanChannel extends MadeChannel implements StreamChannel {
  /**
   * What may wait for an earlier cell, of all connections together; beyond it, cells wait in the
   * sockets. 2 MiB are 16 ms at 1 Gbit/s, by which one connection may be later than the others.
   */
  private static final long MOST_WAITING = 2 << 20;

  /** Of one connection, however many there are: several cells. Memory: at most 4 MiB of a fan. */
  private static final long LEAST_WAITING = 64 << 10;

  /** Of one connection while the peer has proven nothing. */
  private static final long WAITING_OF_STRANGER = 16 << 10;

  /**
   * What is kept of one connection before it is sent: enough for 10 ms at 100 Mbit/s and for two of
   * UDT's batches, and little that would wait on a slow connection while others are idle.
   */
  private static final int UNSENT_BYTES = 128 << 10;

  /** How long closing waits for the sockets to take what is in cells. */
  private static final int CLOSE_SECONDS = 5;

  private final ChannelConfig config = new DefaultChannelConfig(this);
  private final List<FanLine> lines;
  private final SocketAddress local;
  private final SocketAddress remote;
  private final FanOrder order;
  private final FanChoice choice;
  private final IntPredicate takes = this::takesCell;
  private final boolean[] isGone;
  private long nextNumber;
  private boolean isStream;

  /** The pipeline has asked for bytes that it has not got. */
  private boolean isWanted;

  private boolean isDelivering;
  private boolean hasDelivered;
  private boolean isWriting;
  private boolean hasFailed;
  private volatile boolean open = true;

  /**
   * @param lines its connections, 2 or more, which do not read by themselves
   */
  FanChannel(List<FanLine> lines) {
    this.lines = List.copyOf(lines);
    Channel first = lines.get(0).channel();
    this.local = first.localAddress();
    this.remote = first.remoteAddress();
    this.order = new FanOrder(lines.size());
    this.choice = new FanChoice(lines.size());
    this.isGone = new boolean[lines.size()];
    config.setAllocator(first.alloc());
    for (int i = 0; i < lines.size(); i++) {
      lines.get(i).belongTo(this, i);
    }
  }

  /** Becomes active on this loop, which is the one that this is called on. Once. */
  void begin(EventLoop loop) {
    loop.register(this);
    lines.forEach(FanLine::attach);
  }

  /** How many connections a channel has: 1 if it is no fan. */
  static int connectionsOf(Channel channel) {
    return channel instanceof FanChannel fan ? fan.lines.size() : 1;
  }

  /** Its connections. */
  List<Channel> connections() {
    return lines.stream().map(FanLine::channel).toList();
  }

  // What the connections say

  /** One connection has brought this, whose reference it gives away. */
  void read(int connection, ByteBuf bytes) {
    if (!open) {
      bytes.release();
      return;
    }
    try {
      order.add(connection, bytes);
    } catch (FdtException e) {
      fail(e);
      return;
    }
    deliver();
  }

  /** A connection has brought all that it had for now. */
  void readComplete() {
    if (hasDelivered) {
      hasDelivered = false;
      pipeline().fireChannelReadComplete();
    }
  }

  /** The socket of a connection takes more. */
  void writable() {
    ChannelOutboundBuffer waiting = unsafe().outboundBuffer();
    if (!isWriting && waiting != null && !waiting.isEmpty()) {
      unsafe().flush();
    }
  }

  /**
   * A connection has closed.
   *
   * @param cause null when the peer has closed it
   */
  void gone(int connection, Throwable cause) {
    isGone[connection] = true;
    if (!open) {
      return;
    }
    if (cause != null && !order.isClosing()) {
      fail(cause);
    } else {
      settle();
    }
  }

  /** The peer does not take a connection: the pipeline reads why in place of a first answer. */
  void refused(ByteBuf preface) {
    if (open) {
      pipeline().fireChannelRead(preface);
      hasFailed = true;
      unsafe().close(unsafe().voidPromise());
    }
  }

  /** Ends it at once, for this reason. */
  void fail(Throwable cause) {
    if (open) {
      hasFailed = true;
      pipeline().fireExceptionCaught(cause);
      unsafe().close(unsafe().voidPromise());
    }
  }

  // Reading

  private void deliver() {
    if (isDelivering) {
      return;
    }
    isDelivering = true;
    try {
      while (open && isWanted()) {
        ByteBuf bytes = order.next();
        if (bytes == null) {
          break;
        }
        isWanted = false;
        hasDelivered = true;
        pipeline().fireChannelRead(bytes);
      }
    } catch (FdtException e) {
      fail(e);
    } finally {
      isDelivering = false;
    }
    settle();
  }

  private boolean isWanted() {
    return isWanted || config.isAutoRead();
  }

  /** Ends it when nothing more can come, and otherwise reads the connections that may bring it. */
  void settle() {
    if (!open) {
      return;
    }
    if (order.isEnded()) {
      unsafe().close(unsafe().voidPromise());
      return;
    }
    boolean isHeld = order.hasNext() && !isWanted();
    for (int i = 0; i < isGone.length; i++) {
      if (isGone[i] && !order.isWhole(i)) {
        hasFailed = true;
        unsafe().close(unsafe().voidPromise());
        return;
      }
      if (!isHeld && mayRead(i)) {
        lines.get(i).read();
      }
    }
  }

  /**
   * Whether more may come of a connection: always of one that may owe the next cell, so that those
   * which wait for that one do not wait for ever.
   */
  private boolean mayRead(int connection) {
    long most =
        isStream ? Math.max(LEAST_WAITING, MOST_WAITING / lines.size()) : WAITING_OF_STRANGER;
    return !order.isAhead(connection) || order.waitingMemory(connection) < most;
  }

  @Override
  protected void doBeginRead() {
    isWanted = true;
    if (!isDelivering && order.hasNext()) {
      eventLoop()
          .execute(
              () -> {
                deliver();
                readComplete();
              });
    }
  }

  // Writing

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
    if (isWriting || order.isClosing()) {
      return; // nobody reads it any more
    }
    isWriting = true;
    try {
      while (open && in.current() instanceof ByteBuf bytes) {
        if (!bytes.isReadable()) {
          in.remove();
          continue;
        }
        int to = choice.next(takes);
        if (to < 0) {
          return; // the first that takes one says so
        }
        int length = Math.min(bytes.readableBytes(), FanCell.MAX_BYTES);
        ByteBuf header = header(length);
        nextNumber++;
        lines.get(to).send(header, bytes.retainedSlice(bytes.readerIndex(), length));
        if (open) {
          in.removeBytes(length);
        }
      }
    } catch (RuntimeException | Error e) { // memory is wanting
      fail(e);
    } finally {
      isWriting = false;
    }
  }

  private boolean takesCell(int connection) {
    return lines.get(connection).takesCell();
  }

  private ByteBuf header(int length) {
    ByteBuf header = alloc().directBuffer(FanCell.LENGTH, FanCell.LENGTH);
    new FanCell(nextNumber, length).write(header);
    return header;
  }

  // Closing

  @Override
  protected void doClose() {
    open = false;
    order.release();
    boolean isSilent = hasFailed || order.isClosing();
    for (FanLine line : lines) {
      if (isSilent) {
        line.channel().close();
      } else {
        sayEnd(line);
      }
    }
  }

  private void sayEnd(FanLine line) {
    Channel connection = line.channel();
    try {
      Future<?> timer =
          eventLoop().schedule(() -> connection.close(), CLOSE_SECONDS, TimeUnit.SECONDS);
      connection.closeFuture().addListener(closed -> timer.cancel(false));
      line.readInVain();
      connection.writeAndFlush(header(0)).addListener(ChannelFutureListener.CLOSE);
    } catch (RejectedExecutionException e) { // the loop has ended
      connection.close();
    } catch (RuntimeException | Error e) { // memory is wanting
      connection.close();
      throw e;
    }
  }

  // The channel

  @Override
  public void becomeStream(int bufferBytes) {
    isStream = true;
    for (FanLine line : lines) {
      line.becomeStream(bufferBytes, UNSENT_BYTES);
    }
    settle();
  }

  @Override
  public void setPathKey(PathKey key) {
    lines.forEach(line -> line.setPathKey(key));
  }

  @Override
  public boolean canSeal() {
    return false;
  }

  @Override
  public void seal(PathKey key) {
    throw new UnsupportedOperationException("a fan is encrypted by TLS within it");
  }

  /** {@inheritDoc} Of all connections together. */
  @Override
  public Optional<PathState> pathState() {
    List<PathState> all =
        connections().stream().map(TcpInfo::of).flatMap(Optional::stream).toList();
    return all.isEmpty() ? Optional.empty() : Optional.of(PathState.together(all));
  }

  @Override
  public String congestion() {
    Channel first = lines.get(0).channel();
    return first instanceof StreamChannel other ? other.congestion() : CongestionControl.of(first);
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true; // it has no descriptor
  }

  @Override
  protected SocketAddress localAddress0() {
    return local;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return remote;
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }
}
