package io.fdt.core.receive;

import io.fdt.core.engine.ReceivingNodes;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.TransferEvents;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataStream;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.ReceivedFrame;

/**
 * The first half of a byte's path to the disk: takes whole frames from the data streams and passes
 * them to the machine, which decides what to write.
 *
 * <pre>
 *   stream --- frame ---> FrameIntake ---> ReceiverMachine ---> BlockWriting
 *      ^------ stop reading ----- Backpressure, RateEnforcer
 * </pre>
 *
 * <p>Handlers are called on the event loop of their stream; the rest is confined to the loop of the
 * session.
 */
final class FrameIntake implements ReceivingNodes.Listener {
  /** Takes frames over; on the loop of the session. */
  interface Frames {
    void arrived(int stream, ReceivedFrame frame);
  }

  private final SessionLoop loop;
  private final Frames frames;
  private final TransferEvents events;
  private final StreamSet streams;
  private final Backpressure backpressure;
  private final RateEnforcer enforcer;
  private boolean closed;

  FrameIntake(
      SessionLoop loop,
      Frames frames,
      TransferEvents events,
      StreamSet streams,
      Backpressure backpressure,
      RateEnforcer enforcer) {
    this.loop = loop;
    this.frames = frames;
    this.events = events;
    this.streams = streams;
    this.backpressure = backpressure;
    this.enforcer = enforcer;
  }

  /** The handler of a new stream. On the stream's event loop. */
  DataStream.Handler attach(DataStream stream) {
    loop.post(() -> add(stream));
    return new DataStream.Handler() {
      @Override
      public void frame(ReceivedFrame frame) {
        loop.run(() -> arrived(stream, frame));
      }

      @Override
      public void writable() {
        // A receiver sends only control messages.
      }

      @Override
      public void closed(FdtException cause) {
        loop.run(() -> lost(stream, cause));
      }
    };
  }

  private void add(DataStream stream) {
    if (closed) {
      stream.close();
      return;
    }
    streams.add(stream);
    if (backpressure.isPulled()) {
      stream.setReading(false);
    }
  }

  private void arrived(DataStream stream, ReceivedFrame frame) {
    if (closed) {
      frame.release();
      return;
    }
    if (enforcer.isLimited()) {
      enforcer.check(loop.nanoTime(), streams.wireBytes());
    }
    frames.arrived(stream.number(), frame);
  }

  /** A frame that a data node holds or has sent here. */
  @Override
  public void frame(int stream, ReceivedFrame frame) {
    enforcer.cameElsewhere(FrameHeader.LENGTH + frame.header().wireLength());
    if (enforcer.isLimited()) {
      enforcer.check(loop.nanoTime(), streams.wireBytes());
    }
    frames.arrived(stream, frame);
  }

  @Override
  public void notice(String message) {
    events.notice(message);
  }

  private void lost(DataStream stream, FdtException cause) {
    streams.remove(stream);
    if (!closed && cause.isLocalResourceFailure()) {
      events.failed(cause); // another stream would need as much
    }
  }

  /** Closes all streams. */
  void close() {
    closed = true;
    streams.closeAll();
  }
}
