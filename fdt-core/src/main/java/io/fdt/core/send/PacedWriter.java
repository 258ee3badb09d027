package io.fdt.core.send;

import io.fdt.core.engine.StreamSet;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataStream;
import io.fdt.core.tuning.rate.Pacer;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.RateLimit;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.IntConsumer;

/**
 * Passes frames to a sender's streams within the rate limits of both ends. A frame that would be a
 * burst is sent in pieces. Limits count the bytes of frames, including headers.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
public final class PacedWriter {
  /** A partly sent frame; its stream must not get any other frame. */
  private record Begun(StreamSet.OutboundStream out, ByteBuf rest, Runnable sent) {
    void drop() {
      out.setWithinFrame(false);
      rest.release();
      sent.run();
    }
  }

  private final IntConsumer moved;
  private final Pacer pacer = new Pacer();
  private final ArrayDeque<Begun> begun = new ArrayDeque<>();
  private RateSource own = RateSource.NONE;
  private long peerRate;
  private long bytes;
  private long bytesElsewhere;

  /**
   * @param moved takes the number of each stream that gets bytes
   */
  public PacedWriter(IntConsumer moved) {
    this.moved = moved;
  }

  /**
   * Sets the limits.
   *
   * @param source the limit of this end
   * @param ofPeer the receiver's initial limit in bytes per second; 0 for no limit
   */
  void limit(RateSource source, long ofPeer) {
    own = source;
    peerRate = ofPeer;
  }

  /**
   * Sets the limit of the receiver.
   *
   * @throws FdtException PROTOCOL for an invalid rate
   */
  public void onPeer(RateLimit message, long nowNanos) throws FdtException {
    if (message.getBytesPerSecond() < 0) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "a limit of %s bytes per second"
              .formatted(Long.toUnsignedString(message.getBytesPerSecond())));
    }
    peerRate = message.getBytesPerSecond();
    apply(nowNanos);
  }

  void tick(long nowNanos, long wireBytes) {
    own.moved(nowNanos, wireBytes + bytesElsewhere);
    apply(nowNanos);
  }

  private void apply(long nowNanos) {
    long ownRate = own.bytesPerSecond();
    boolean isOwn = peerRate == 0 || (ownRate != 0 && ownRate < peerRate);
    pacer.setRate(isOwn ? ownRate : peerRate, nowNanos);
  }

  /** Nanoseconds until anything may be sent; 0 for now. */
  long nanosToWait(long nowNanos) {
    return pacer.nanosToWait(nowNanos);
  }

  /** Whether there is a limit now. */
  boolean isLimited() {
    return pacer.bytesPerSecond() > 0;
  }

  /** The limit, in bytes per second; 0 for none. */
  long rate() {
    return pacer.bytesPerSecond();
  }

  /** The seconds that this many bytes take at the limit; 0 without a limit. */
  double secondsFor(long length) {
    return isLimited() ? (double) length / rate() : 0;
  }

  /** Accounts bytes that another machine sends for this session, under the same limits. */
  void sentElsewhere(int length, long nowNanos) {
    pacer.sent(length, nowNanos);
    bytesElsewhere += length;
  }

  /** Bytes sent so far. */
  long bytes() {
    return bytes;
  }

  /** Whether {@link #goOn} can send a piece. */
  boolean canGoOn() {
    return begun.stream().anyMatch(frame -> frame.out().stream().isWritable());
  }

  /** Whether there are partly sent frames. */
  boolean hasBegun() {
    return !begun.isEmpty();
  }

  /**
   * Sends a frame, or its first piece, and takes it over.
   *
   * @param sent runs once its memory is released, on any event loop
   */
  void sendAndRelease(StreamSet.OutboundStream out, ByteBuf frame, long nowNanos, Runnable sent) {
    piece(new Begun(out, frame, sent), nowNanos);
  }

  /**
   * Sends one more piece of a partly sent frame, in turn.
   *
   * @return false when no stream can take one
   */
  boolean goOn(long nowNanos) {
    for (Iterator<Begun> all = begun.iterator(); all.hasNext(); ) {
      Begun next = all.next();
      if (next.out().stream().isWritable()) {
        all.remove();
        piece(next, nowNanos);
        return true;
      }
    }
    return false;
  }

  private void piece(Begun frame, long nowNanos) {
    StreamSet.OutboundStream out = frame.out();
    int length = pacer.piece(frame.rest().readableBytes());
    pacer.sent(length, nowNanos);
    bytes += length;
    moved.accept(out.stream().number());
    boolean isPart = length < frame.rest().readableBytes();
    out.setWithinFrame(isPart);
    if (isPart) {
      begun.add(frame);
      out.stream().sendAndRelease(frame.rest().readRetainedSlice(length), () -> {});
    } else {
      out.stream().sendAndRelease(frame.rest(), frame.sent());
    }
  }

  /** Drops the partly sent frame of a closed stream. */
  void lost(DataStream stream) {
    for (Iterator<Begun> all = begun.iterator(); all.hasNext(); ) {
      Begun one = all.next();
      if (one.out().stream() == stream) {
        all.remove();
        one.drop();
      }
    }
  }

  /** Drops unsent pieces. */
  void close() {
    begun.forEach(Begun::drop);
    begun.clear();
  }
}
