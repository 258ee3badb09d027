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
 * Gives frames to a sender's streams no faster than both ends allow. A frame that would be a burst
 * leaves in pieces; what counts are the bytes of frames, headers included.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
public final class PacedWriter {
  /** A frame of which a part has been given to its stream; nothing else may be given to that. */
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
   * @param moved gets the number of each stream that is given bytes
   */
  public PacedWriter(IntConsumer moved) {
    this.moved = moved;
  }

  /**
   * Sets the limits.
   *
   * @param source what this end allows
   * @param ofPeer what the receiver allows until it says something else, bytes per second; 0 for no
   *     limit
   */
  void limit(RateSource source, long ofPeer) {
    own = source;
    peerRate = ofPeer;
  }

  /**
   * The receiver says how fast it may be.
   *
   * @throws FdtException PROTOCOL when that is no rate
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

  /** The limit, in bytes per second; 0 when there is none. */
  long rate() {
    return pacer.bytesPerSecond();
  }

  /** How long so many bytes take at the limit; 0 when there is none. */
  double secondsFor(long length) {
    return isLimited() ? (double) length / rate() : 0;
  }

  /** Another machine sends so much for this session, under the same limits. */
  void sentElsewhere(int length, long nowNanos) {
    pacer.sent(length, nowNanos);
    bytesElsewhere += length;
  }

  /** That have left so far. */
  long bytes() {
    return bytes;
  }

  /** Whether {@link #goOn} would find one. */
  boolean canGoOn() {
    return begun.stream().anyMatch(frame -> frame.out().stream().isWritable());
  }

  /** Whether there are frames that have left in part. */
  boolean hasBegun() {
    return !begun.isEmpty();
  }

  /**
   * Sends a frame, or the first piece of it; takes it over.
   *
   * @param sent runs once its memory is free again, on any event loop
   */
  void sendAndRelease(StreamSet.OutboundStream out, ByteBuf frame, long nowNanos, Runnable sent) {
    piece(new Begun(out, frame, sent), nowNanos);
  }

  /**
   * Sends one more piece of a frame that has begun, each in its turn.
   *
   * @return false when there is none whose stream can take it
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

  /** A stream is gone, and what was to go on it with it. */
  void lost(DataStream stream) {
    for (Iterator<Begun> all = begun.iterator(); all.hasNext(); ) {
      Begun one = all.next();
      if (one.out().stream() == stream) {
        all.remove();
        one.drop();
      }
    }
  }

  /** Drops what has not left. */
  void close() {
    begun.forEach(Begun::drop);
    begun.clear();
  }
}
