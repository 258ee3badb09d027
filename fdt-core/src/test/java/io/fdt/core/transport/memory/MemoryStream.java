package io.fdt.core.transport.memory;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.PathState;
import io.fdt.core.wire.FrameReader;
import io.fdt.core.wire.PayloadDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** One end of a data stream: frames are taken from a pipe and checked as those from a socket. */
final class MemoryStream implements DataStream, MemoryPipe.Reader {
  private final MemoryLink.End end;
  private final int number;
  private final FrameReader frames;
  private final LongAdder wireBytes = new LongAdder();
  private volatile long payloadBytes;
  private Handler handler;
  private FdtException failure;

  MemoryStream(MemoryLink.End end, int number, int maxPayload, ByteBufAllocator allocator) {
    this.end = end;
    this.number = number;
    this.frames = new FrameReader(maxPayload, allocator, PayloadDecoder.NONE);
  }

  /** To be called once, on the event loop; frames do not come before {@link #framesFollow}. */
  void setHandler(Handler streamHandler) {
    handler = streamHandler;
    end.out().onWritable(handler::writable);
    end.whenClosed(this::closed);
  }

  /** There will be no handler. */
  void abandon() {
    frames.close();
  }

  /** The join was accepted. */
  void framesFollow() {
    end.in().open(this);
  }

  /** Closes it for this reason, unless it has failed before. On the event loop. */
  void fail(FdtException cause) {
    if (failure == null) {
      failure = cause;
    }
    end.link().close();
  }

  private void closed() {
    frames.close();
    handler.closed(
        failure != null
            ? failure
            : new FdtException(
                ErrorCode.UNREACHABLE,
                "stream " + number + " to " + end.peerText() + " was closed"));
  }

  @Override
  public void read(ByteBuf bytes) {
    ByteBuf target = frames.target();
    int count = Math.min(bytes.readableBytes(), target.writableBytes());
    target.writeBytes(bytes, count).release();
    wireBytes.add(count);
    try {
      frames.advance(count, handler::frame);
      payloadBytes = frames.payloadBytes();
    } catch (FdtException e) {
      fail(e);
    } catch (RuntimeException | Error e) {
      fail(FdtException.unforeseen("stream " + number, e));
    }
  }

  @Override
  public void ended() {
    end.link().close();
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public boolean isWritable() {
    return end.out().isWritable();
  }

  @Override
  public void sendAndRelease(ByteBuf frame, Runnable released) {
    wireBytes.add(frame.readableBytes());
    Optional<MemoryNetwork.Middle> middle = end.link().listener().network().middle();
    if (middle.isEmpty()) {
      end.out().send(frame, released);
      return;
    }
    byte[] bytes = ByteBufUtil.getBytes(frame);
    frame.release();
    Tasks.run(end.loop(), released);
    middle
        .get()
        .frame(this, bytes, passed -> end.out().send(Unpooled.wrappedBuffer(passed), () -> {}));
  }

  @Override
  public void setReading(boolean reading) {
    end.in().setReading(reading);
  }

  @Override
  public long wireBytes() {
    return wireBytes.sum();
  }

  @Override
  public long payloadBytes() {
    return payloadBytes;
  }

  @Override
  public long segmentsRepeated() {
    return 0;
  }

  @Override
  public Optional<PathState> pathState() {
    return Optional.empty();
  }

  @Override
  public boolean setCongestion(String name) {
    return name.isEmpty();
  }

  @Override
  public void limitUnsent(long bytes) {
    // There is no system that keeps anything.
  }

  @Override
  public String congestion() {
    return "";
  }

  @Override
  public void close() {
    end.link().close();
  }
}
