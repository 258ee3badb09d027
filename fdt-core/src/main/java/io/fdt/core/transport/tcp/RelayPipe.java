package io.fdt.core.transport.tcp;

import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Backlog;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.transport.tcp.socket.Addresses;
import io.fdt.core.transport.tcp.socket.CongestionControl;
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
 * One direction of a relayed connection: forwards the bytes of its own channel to the channel of
 * the other pipe. The pipe that reads from the client sends to the target.
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

  /** Longest wait for a limit, which may change meanwhile. */
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Interval of checks whether all bytes of a closed end were sent. */
  private static final long DRAIN_LOOK_MILLIS = 20;

  private final RelayTarget target;
  private final RelayTarget.Direction direction;

  /** For bytes that wait for one side after the other one has closed. */
  private final long deadlineMillis;

  private Channel own;

  /** When the other side stopped accepting bytes; 0 while it accepts them. */
  private long heldSinceNanos;

  /** Time of the last traffic. */
  private long passedNanos;

  /** When the other side last accepted bytes, or none waited. */
  private long takenNanos;

  /** Bytes pending in the other side's channel at the last check. */
  private long pendingBytes;

  /** When the own side closed, if it has. */
  private long goneNanos;

  private boolean isGone;
  private boolean hasLeft;

  /** Null until both are connected. */
  private RelayPipe other;

  /** Null if only the channels hold bytes. */
  private Backlog backlog;

  /** The outgoing connection's original congestion control; empty for other transports than TCP. */
  private String systemsCongestion;

  /** The requested congestion control; empty for the system's default. */
  private String congestion = "";

  /** Whether a rate limit is reached. */
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

  /** Both channels are connected. */
  void to(RelayPipe pipe) {
    other = pipe;
    passedNanos = System.nanoTime();
    takenNanos = passedNanos;
    backlog = target.backlog(direction, own.eventLoop(), own.alloc(), this).orElse(null);
    systemsCongestion = CongestionControl.of(other.own);
    setCongestion();
  }

  /** Resumes reading when there is room and no limit applies. */
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

  /** Starts to monitor the outgoing connection. */
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
      end("nothing was forwarded for %d s".formatted(TimeUnit.NANOSECONDS.toSeconds(silent)));
    } else if (stuck > target.longestSilenceNanos()) {
      end(
          "%s has accepted nothing for %d s"
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

  /** Closes both sides at once. */
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
      ReferenceCountUtil.release(message); // sent before it was allowed
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

  /** Sends as much of the backlog as the other side accepts. */
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
      other.dropBacklog(); // the receiver is gone
      isGone = true;
      goneNanos = System.nanoTime();
      leaveInTime();
    }
  }

  /** Polls for the end of the bytes: no event shows that other connections no longer delay them. */
  private void leaveInTime() {
    leave();
    if (!hasLeft) {
      own.eventLoop().schedule(this::leaveInTime, DRAIN_LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Closes the other side once all its bytes are sent. */
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
    context.close(); // notifies the other side
  }
}
