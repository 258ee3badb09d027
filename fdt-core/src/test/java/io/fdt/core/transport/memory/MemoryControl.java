package io.fdt.core.transport.memory;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.ControlDecoder;
import io.fdt.core.wire.ControlFrames;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One end of a control connection. Messages are encoded, with the limits of the wire. */
final class MemoryControl implements ControlConnection, MemoryPipe.Reader {
  /** What may wait for a peer that does not read. */
  private static final long MAX_PENDING_BYTES = 64L << 20;

  /** How long what was sent before a close has to leave. */
  private static final int LINGER_SECONDS = 5;

  private final MemoryLink.End end;
  private final ByteBufAllocator allocator;
  private final Optional<Fingerprint> peerKey;
  private final ControlDecoder decoder;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final Object pending = new Object();
  private long pendingBytes;
  private Handler handler;
  private FdtException failure;
  private boolean closed;

  /**
   * @param maxMessage longest message that is taken until {@link #peerIsKnown}, in bytes
   * @param peerKey what a dialer has proven
   */
  MemoryControl(
      MemoryLink.End end,
      int maxMessage,
      ByteBufAllocator allocator,
      Optional<Fingerprint> peerKey) {
    this.peerKey = peerKey;
    this.end = end;
    this.decoder = new ControlDecoder(maxMessage);
    this.allocator = allocator;
    end.whenClosed(this::closed);
  }

  /** Messages may come from now on. */
  void start() {
    end.in().open(this);
  }

  /** Says who gets the messages, once. On the event loop. */
  void setHandler(Handler messageHandler) {
    handler = messageHandler;
    if (closed) {
      handler.closed(cause());
    }
  }

  /** Closes the connection at once for this reason, unless it has failed before. On the loop. */
  void fail(FdtException cause) {
    if (failure == null) {
      failure = cause;
    }
    end.link().close();
  }

  private void closed() {
    closed = true;
    decoder.close();
    if (handler != null) {
      handler.closed(cause());
    }
  }

  private FdtException cause() {
    return failure != null ? failure : closedByPeer();
  }

  private FdtException closedByPeer() {
    return new FdtException(ErrorCode.UNREACHABLE, peer() + " closed the connection");
  }

  @Override
  public void read(ByteBuf bytes) {
    if (closing.get()) {
      bytes.skipBytes(bytes.readableBytes());
      return;
    }
    try {
      decoder.feed(bytes.readRetainedSlice(bytes.readableBytes()), this::message);
    } catch (FdtException e) {
      failure = e;
      send(AbortCoding.encode(e));
      close();
    } catch (RuntimeException | Error e) {
      fail(FdtException.unforeseen("connection to " + peer(), e));
    }
  }

  private void message(Control message) throws FdtException {
    if (handler == null) {
      throw new FdtException(
          ErrorCode.PROTOCOL, peer() + " sent a message before the handshake was complete");
    }
    handler.message(message);
  }

  @Override
  public void ended() {
    end.link().close();
  }

  @Override
  public void send(Control message) {
    ByteBuf bytes = ControlFrames.encode(message, allocator);
    int length = bytes.readableBytes();
    boolean tooMany;
    synchronized (pending) {
      pendingBytes += length;
      tooMany = pendingBytes > MAX_PENDING_BYTES;
    }
    // Behind the handler that is on its way to the loop, so that no answer comes before it.
    Tasks.run(end.loop(), () -> end.out().send(bytes, () -> sent(length)));
    if (tooMany) {
      FdtException cause = doesNotRead();
      Tasks.run(end.loop(), () -> fail(cause));
    }
  }

  private void sent(int length) {
    synchronized (pending) {
      pendingBytes -= length;
      pending.notifyAll();
    }
  }

  private FdtException doesNotRead() {
    return new FdtException(
        ErrorCode.TIMEOUT, peer() + " does not read: " + pendingBytes() + " bytes are pending");
  }

  @Override
  public long pendingBytes() {
    synchronized (pending) {
      return pendingBytes;
    }
  }

  @Override
  public void awaitPending(long most, Duration patience) throws FdtException, InterruptedException {
    synchronized (pending) {
      long last = pendingBytes;
      long untilNanos = System.nanoTime() + patience.toNanos();
      while (pendingBytes > most) {
        long leftNanos = untilNanos - System.nanoTime();
        if (leftNanos <= 0) {
          throw doesNotRead();
        }
        TimeUnit.NANOSECONDS.timedWait(pending, leftNanos);
        if (pendingBytes < last) {
          untilNanos = System.nanoTime() + patience.toNanos();
        }
        last = pendingBytes;
      }
    }
    if (end.link().isClosed()) {
      throw closedByPeer();
    }
  }

  @Override
  public String peer() {
    return end.peerText();
  }

  @Override
  public Optional<Fingerprint> peerKey() {
    return peerKey;
  }

  @Override
  public InetAddress localAddress() {
    return InetAddress.getLoopbackAddress();
  }

  @Override
  public InetAddress peerAddress() {
    return end.peer().getAddress();
  }

  @Override
  public Duration roundTrip() {
    return Duration.ZERO;
  }

  @Override
  public void peerIsKnown() {
    decoder.setMaxLength(ControlFrames.MAX_LENGTH);
  }

  @Override
  public void setReading(boolean reading) {
    end.in().setReading(reading);
  }

  /** The other end closes the link when it has read everything. */
  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      end.in().setReading(true); // what comes is dropped
      Tasks.run(end.loop(), this::closeLater);
    }
  }

  private void closeLater() {
    end.out().end();
    if (end.loop().isShuttingDown()) {
      end.link().close();
      return;
    }
    var timer = end.loop().schedule(() -> end.link().close(), LINGER_SECONDS, TimeUnit.SECONDS);
    end.link().whenClosed(() -> timer.cancel(false));
  }
}
