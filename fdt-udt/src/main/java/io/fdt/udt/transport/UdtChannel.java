package io.fdt.udt.transport;

import io.fdt.core.transport.AdoptedChannel;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.tcp.StreamChannel;
import io.fdt.core.wire.PathKey;
import io.fdt.udt.protocol.Application;
import io.fdt.udt.protocol.UdtConnection;
import io.fdt.udt.protocol.UdtSettings;
import io.fdt.udt.protocol.WindowMemory;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A channel of bytes over a UDT connection, for the same Netty handlers as TCP.
 *
 * <pre>
 *   write -> window of packets -> socket        socket -> buffer of the reader -> pipeline
 * </pre>
 *
 * <p>After a close, pending bytes are still sent for up to {@link #LINGER_SECONDS}, as with a
 * system's TCP. Confined to its event loop, which is that of its socket.
 */
final class UdtChannel extends AdoptedChannel
    implements StreamChannel, PacketTarget, Application, Datagrams {
  private static final int LINGER_SECONDS = 5;

  /** Interval of checks on a full socket that does not signal writability. */
  private static final long FULL_MICROS = 10_000;

  private final ChannelConfig config = new DefaultChannelConfig(this);
  private final UdpSocket socket;
  private final boolean ownsSocket;
  private final PeerAddress peer;
  private final UdpHandover handover;
  private final Runnable whenGone;
  private final Reading reading = new Reading(this);
  private volatile boolean open = true;
  private boolean busy;
  private boolean gone;
  private boolean doomed;
  private boolean opened;
  private final WakeUp wakeUp;
  private long unreachableMicros;
  private long receivedMicros;
  private final PathNotes notes = new PathNotes();

  /**
   * @param ownsSocket whether to close the socket in the end
   * @param memory shared by all windows
   * @param whenGone runs once, after everything is released
   */
  UdtChannel(
      UdpSocket socket,
      boolean ownsSocket,
      InetSocketAddress peer,
      Terms terms,
      UdtSettings settings,
      WindowMemory memory,
      Runnable whenGone) {
    this.socket = socket;
    this.wakeUp = new WakeUp(socket.loop(), () -> pump(UdpSocket.nowMicros()));
    this.ownsSocket = ownsSocket;
    this.peer = new PeerAddress(socket, peer);
    this.whenGone = whenGone;
    this.handover = new UdpHandover(socket, terms, settings, memory, ownsSocket, this, this);
  }

  private UdtConnection connection() {
    return handover.current();
  }

  // Events of the socket.

  @Override
  public void packet(long now, ByteBuf memory, int at, int length, InetSocketAddress from) {
    if (gone || busy) {
      return;
    }
    busy = true;
    try {
      if (handover.receive(now, memory, at, length, from, peer)) {
        receivedMicros = now;
      }
    } catch (RuntimeException | Error e) {
      failed(now, e);
    } finally {
      idle();
    }
  }

  /** Ends a step: releases deferred resources. */
  private void idle() {
    busy = false;
    handover.sweep();
    if (doomed) {
      dispose();
    }
  }

  /** A defect, or lack of memory, ends this connection only. */
  private void failed(long now, Throwable cause) {
    try {
      handover.close(now, String.valueOf(cause.getMessage()));
    } catch (RuntimeException | Error e) {
      cause.addSuppressed(e);
    }
    doomed = true;
    pipeline().fireExceptionCaught(cause);
  }

  @Override
  public void packetsEnd(long now, boolean allRead) {
    if (allRead && !gone) {
      connection().allRead(now);
    }
    pump(now);
  }

  @Override
  public void canSend(long now) {
    pump(now);
  }

  /**
   * A single report may be spurious; repeated reports without packets mean that the peer is gone.
   */
  @Override
  public void unreachable(Throwable cause) {
    long now = UdpSocket.nowMicros();
    if (unreachableMicros <= receivedMicros) {
      unreachableMicros = now;
    } else if (now - unreachableMicros > 500_000 && !gone) {
      handover.close(now, "the address is no longer reachable");
      pump(now);
    }
  }

  @Override
  public void socketClosed() {
    if (!gone) {
      handover.close(UdpSocket.nowMicros(), "the socket was closed");
      dispose();
    }
  }

  /** Closes the channel at once. */
  void abort() {
    if (!gone) {
      handover.close(UdpSocket.nowMicros(), "closed");
      socket.flush();
      dispose();
    }
  }

  /** Sends packets that are due, delivers received bytes, and sets the timer. */
  private void pump(long now) {
    if (busy || gone) {
      return;
    }
    busy = true;
    try {
      reading.handOn();
      if (socket.isWritable()) {
        writeWaiting();
        handover.transmit(now);
      }
      socket.flush();
    } catch (RuntimeException | Error e) {
      failed(now, e);
    } finally {
      idle();
    }
    if (gone) {
      return;
    }
    if (connection().state() == UdtConnection.State.ENDED) {
      ended();
    } else {
      schedule(now);
      notes.take(now, connection());
    }
  }

  private void ended() {
    if (open && connection().hasUnread() && !config.isAutoRead()) {
      return; // the reader takes it first
    }
    dispose();
  }

  private void dispose() {
    if (busy) {
      doomed = true;
      return;
    }
    if (gone) {
      return;
    }
    gone = true;
    wakeUp.cancel();
    notes.takeLast(connection());
    handover.release();
    reading.release();
    if (ownsSocket) {
      socket.close();
    }
    whenGone.run();
    unsafe().close(unsafe().voidPromise());
  }

  private void schedule(long now) {
    long at = handover.wakeUpMicros(now);
    if (!socket.isWritable()) {
      at = Math.max(at, now + FULL_MICROS);
    }
    wakeUp.at(now, at);
  }

  @Override
  public void data(ByteBuf memory, int index, int length, int packet) {
    socket.write(memory, index, length, packet, peer.address());
  }

  @Override
  public void controlAndRelease(ByteBuf packet) {
    socket.writeAndRelease(packet, peer.address());
  }

  @Override
  public int deliver(ByteBuf memory, int index, int length) {
    return reading.deliver(memory, index, length);
  }

  @Override
  protected void doBeginRead() {
    reading.want();
    if (connection().hasUnread() && !busy && !gone) {
      socket.loop().execute(this::readOn);
    }
  }

  private void readOn() {
    if (gone || busy) {
      return;
    }
    busy = true;
    try {
      connection().deliver();
    } catch (RuntimeException | Error e) {
      failed(UdpSocket.nowMicros(), e);
    } finally {
      idle();
    }
    pump(UdpSocket.nowMicros());
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
    if (gone || connection().state() != UdtConnection.State.OPEN || !socket.isWritable()) {
      return;
    }
    writeAll(in);
    if (!busy) {
      pump(UdpSocket.nowMicros());
    }
  }

  private void writeAll(ChannelOutboundBuffer in) {
    while (in != null && in.current() instanceof ByteBuf bytes) {
      ByteBuf rest = bytes.duplicate();
      connection().write(rest);
      in.removeBytes(bytes.readableBytes() - rest.readableBytes());
      if (rest.isReadable()) {
        return;
      }
    }
  }

  @Override
  public void writable() {
    writeWaiting();
  }

  private void writeWaiting() {
    ChannelOutboundBuffer waiting = unsafe().outboundBuffer();
    if (open && waiting != null && !waiting.isEmpty()) {
      unsafe().flush();
    }
  }

  @Override
  public void becomeStream(int bufferBytes) {
    if (gone) {
      return; // or it would keep a share of the windows for ever
    }
    opened = true;
    connection().openWindow();
  }

  @Override
  public void setPathKey(PathKey key) {
    peer.mayMove(connection().pathMove(key));
  }

  @Override
  public boolean canSeal() {
    return handover.canSeal();
  }

  @Override
  public void seal(PathKey key) {
    if (gone) {
      return; // the reader is notified of the close
    }
    writeAll(unsafe().outboundBuffer()); // also when the socket is full
    handover.seal(key, this, opened);
    setPathKey(key);
  }

  @Override
  public Optional<PathState> pathState() {
    return gone ? Optional.empty() : Optional.of(notes.state());
  }

  @Override
  public String congestion() {
    return notes.rate();
  }

  @Override
  protected void doClose() {
    open = false;
    if (gone) {
      return;
    }
    connection().finish();
    try {
      EventLoop loop = socket.loop();
      loop.execute(
          () -> {
            readOn(); // and discards it
            pump(UdpSocket.nowMicros());
          });
      loop.schedule(this::abort, LINGER_SECONDS, TimeUnit.SECONDS);
    } catch (RejectedExecutionException e) { // the loop has ended
      abort();
    }
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop == socket.loop();
  }

  @Override
  protected SocketAddress localAddress0() {
    return socket.localAddress();
  }

  /** {@inheritDoc} The address may change. */
  @Override
  public SocketAddress remoteAddress() {
    return peer.address();
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return peer.address();
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
