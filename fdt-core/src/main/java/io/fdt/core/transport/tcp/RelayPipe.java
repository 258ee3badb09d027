package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Backlog;
import io.fdt.core.transport.RelayTarget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One direction of a relayed connection: what comes on its own channel goes to that of the other
 * pipe. The one that reads from the client sends to the target.
 *
 * <pre>
 *   own channel --> limits --> backlog, if the relay has a disk for it --> channel of the other pipe
 *        ^-- is not read while there is no room ---'
 * </pre>
 *
 * <p>Confined to the event loop of both channels.
 */
final class RelayPipe extends ChannelInboundHandlerAdapter implements Backlog.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(RelayPipe.class);

  /** A limit may change while it is waited for. */
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Between two looks at whether the bytes of an end that has gone have all left. */
  private static final long DRAIN_LOOK_MILLIS = 20;

  private final RelayTarget target;
  private final RelayTarget.Direction direction;

  /** For what waits for one side when the other one has gone. */
  private final long deadlineMillis;

  private Channel own;

  /** Since when the other side takes nothing; 0 while it does. */
  private long heldSinceNanos;

  /** When something has come or gone last. */
  private long passedNanos;

  /** When the other side has taken something last, or there was nothing to take. */
  private long takenNanos;

  /** What waited in the channel of the other side at the last look. */
  private long pendingBytes;

  /** Since when the own side is closed, if it is. */
  private long goneNanos;

  private boolean isGone;
  private boolean hasLeft;

  /** Null until both are connected. */
  private RelayPipe other;

  /** Null where nothing but the channels holds bytes. */
  private Backlog backlog;

  /** That of the connection on which bytes leave before another one is wanted; empty: not TCP. */
  private String systemsCongestion;

  /** What is wanted of it; empty for the system's. */
  private String congestion = "";

  /** A limit is reached. */
  private boolean isPaused;

  RelayPipe(RelayTarget target, RelayTarget.Direction direction, long deadlineMillis) {
    this.target = target;
    this.direction = direction;
    this.deadlineMillis = deadlineMillis;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    own = context.channel();
  }

  /** Both are connected. */
  void to(RelayPipe pipe) {
    other = pipe;
    passedNanos = System.nanoTime();
    takenNanos = passedNanos;
    backlog = target.backlog(direction, own.eventLoop(), own.alloc(), this).orElse(null);
    systemsCongestion = CongestionControl.of(other.own);
    setCongestion();
  }

  /** Reads on when there is room and no limit is in the way. */
  void readIfFree() {
    boolean isHeld = isHeld();
    count(!isHeld);
    boolean hasRoom = backlog == null ? !isHeld : backlog.hasRoom();
    own.config().setAutoRead(!isPaused && hasRoom);
  }

  private void setCongestion() {
    String wanted = target.congestion(direction);
    if (wanted.equals(congestion) || systemsCongestion.isEmpty()) {
      return;
    }
    congestion = wanted;
    if (!CongestionControl.set(other.own, wanted.isEmpty() ? systemsCongestion : wanted)) {
      LOG.warn(
          "congestion control not set peer={} name={}",
          Addresses.text(other.own.remoteAddress()),
          wanted);
    }
  }

  private boolean isHeld() {
    return !other.own.isWritable() || (backlog != null && !backlog.isEmpty());
  }

  private void count(boolean isFree) {
    if (isFree && heldSinceNanos != 0) {
      target.held(direction, System.nanoTime() - heldSinceNanos);
      heldSinceNanos = 0;
    } else if (!isFree && heldSinceNanos == 0) {
      heldSinceNanos = System.nanoTime();
    }
  }

  private void countSoFar() {
    if (heldSinceNanos != 0) {
      count(true);
      count(false);
    }
  }

  /** Looks at the connection on which bytes leave, from now on. */
  void look() {
    if (!own.isActive() || !other.own.isActive()) {
      return;
    }
    countSoFar();
    TcpInfo.of(other.own)
        .ifPresent(state -> target.seen(direction, state, CongestionControl.of(other.own)));
    setCongestion();
    long now = System.nanoTime();
    seeWhatIsTaken(now);
    long silent = now - Math.max(passedNanos, other.passedNanos);
    long stuck = now - takenNanos;
    if (silent > target.longestSilenceNanos()) {
      end("nothing was passed on for %d s".formatted(TimeUnit.NANOSECONDS.toSeconds(silent)));
    } else if (stuck > target.longestSilenceNanos()) {
      end(
          "%s has taken nothing for %d s"
              .formatted(
                  Addresses.text(other.own.remoteAddress()),
                  TimeUnit.NANOSECONDS.toSeconds(stuck)));
    } else {
      own.eventLoop().schedule(this::look, 1, TimeUnit.SECONDS);
    }
  }

  private void seeWhatIsTaken(long now) {
    long pending = other.own.bytesBeforeWritable();
    if (!isHeld() || pending != pendingBytes) {
      takenNanos = now;
    }
    pendingBytes = pending;
  }

  private void end(String reason) {
    LOG.warn(
        "relayed connection closed from={} to={} reason={}",
        Addresses.text(own.remoteAddress()),
        target.address(),
        reason);
    close();
  }

  /** Ends both sides at once. */
  void close() {
    if (other != null) {
      other.dropBacklog();
      other.own.close();
    }
    dropBacklog();
    own.close();
  }

  private void dropBacklog() {
    if (backlog != null) {
      backlog.close();
    }
  }

  private void pauseIfLimited() {
    long nanos = target.nanosToWait();
    isPaused = nanos > 0 && own.isActive();
    if (isPaused) {
      long pause = Math.min(nanos, LONGEST_PAUSE_NANOS);
      own.eventLoop().schedule(this::goOn, pause, TimeUnit.NANOSECONDS);
    }
  }

  private void goOn() {
    pauseIfLimited();
    readIfFree();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (other == null || !(message instanceof ByteBuf bytes)) {
      ReferenceCountUtil.release(message); // it speaks before it may
      context.close();
      return;
    }
    passedNanos = System.nanoTime();
    target.passed(direction, bytes.readableBytes());
    if (backlog == null) {
      other.own.write(bytes);
    } else {
      backlog.add(bytes);
      pour();
    }
    if (!isPaused) {
      pauseIfLimited();
    }
    if (isPaused || (backlog != null && !backlog.hasRoom())) {
      own.config().setAutoRead(false);
    }
  }

  /** Gives the other side what it takes of the backlog. */
  private void pour() {
    while (other.own.isWritable()) {
      ByteBuf bytes = backlog.poll();
      if (bytes == null) {
        return;
      }
      passedNanos = System.nanoTime();
      takenNanos = passedNanos;
      other.own.write(bytes);
    }
    backlog.refused();
  }

  private void takeMore() {
    if (backlog != null) {
      pour();
      other.own.flush();
    }
    readIfFree();
    if (isGone) {
      leave();
    }
  }

  @Override
  public void changed() {
    takeMore();
  }

  @Override
  public void failed(FdtException cause) {
    end(cause.getMessage());
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (other != null) {
      other.own.flush();
      readIfFree();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (other != null) {
      other.takeMore();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (other != null) {
      count(true);
      other.dropBacklog(); // nobody takes it any more
      isGone = true;
      goneNanos = System.nanoTime();
      leaveInTime();
    }
  }

  /** Other connections may hold it back: nothing says when they no longer do. */
  private void leaveInTime() {
    leave();
    if (!hasLeft) {
      own.eventLoop().schedule(this::leaveInTime, DRAIN_LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Closes the other side if all has gone there that is to go there. */
  private void leave() {
    boolean lingers =
        other.own.isActive() && target.lingers(direction, System.nanoTime() - goneNanos);
    if (hasLeft || lingers) {
      return;
    }
    hasLeft = true;
    dropBacklog();
    Channel rest = other.own;
    if (!rest.isActive()) {
      return;
    }
    rest.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    rest.eventLoop().schedule((Runnable) rest::close, deadlineMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close(); // the other side hears that it is closed
  }
}
