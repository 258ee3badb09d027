package io.fdt.core.send;

import io.fdt.core.buffer.BufferBudget;
import io.fdt.core.compress.Compressor;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.engine.StreamSet.OutboundStream;
import io.fdt.core.send.ReadWork.Filled;
import io.fdt.core.session.sender.ReadJob;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.fdt.core.transport.PathState;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.PayloadDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The second half of a byte's path from the disk: passes filled buffers to the streams that can
 * take them, as whole frames, within the rate limits of both ends.
 *
 * <pre>
 *   BlockReading --- filled buffer ---> queue ---> any stream that can take it
 *                                        |- FrameSent ---> SenderMachine
 * </pre>
 *
 * <p>Any frame leaves on any stream: a slow stream delays only its own frames. With a rate limit,
 * other machines that send for the session take turns: after each frame that begins here, each of
 * them may send a block. Confined to the loop of the session.
 */
final class FrameDispatch {
  /** Other machines that send for this session. They take turns while the rate is limited. */
  interface Others {
    Others NONE =
        new Others() {
          @Override
          public int turns() {
            return 0;
          }

          @Override
          public boolean takeTurn(long nowNanos) {
            return false;
          }
        };

    /** The number of machines that wait for a turn; 0 without a limit. */
    int turns();

    /**
     * Lets one of them send a block.
     *
     * @return false if none does
     */
    boolean takeTurn(long nowNanos);
  }

  /** The bytes of the session that are spread over all streams, in small pieces on long paths. */
  static final long FIRST_BYTES = 2 << 20;

  /** The longest timer, because the rate may rise while it runs. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The interval between measurements of the path's rate. */
  private static final long TELL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final SessionLoop loop;
  private final SenderEvents machine;
  private final ByteBufAllocator allocator;
  private final StreamSet streams;
  private final BufferBudget budget;
  private final SenderMeter meter;
  private final PacedWriter paced;
  private final Compressor compressor;
  private final ArrayDeque<Filled> ready = new ArrayDeque<>();
  private Runnable taken = () -> {};
  private Others others = Others.NONE;
  private int turnsOfOthers;
  private long bytesDispatched;
  private long compressorToldNanos;
  private long compressorToldBytes;
  private boolean planned;
  private boolean closed;

  FrameDispatch(
      SessionLoop loop,
      SenderEvents machine,
      ByteBufAllocator allocator,
      StreamSet streams,
      BufferBudget budget,
      SenderMeter meter,
      PacedWriter paced,
      Compressor compressor) {
    this.loop = loop;
    this.machine = machine;
    this.allocator = allocator;
    this.streams = streams;
    this.budget = budget;
    this.meter = meter;
    this.paced = paced;
    this.compressor = compressor;
  }

  /** Filled buffers that no stream has taken yet. */
  int waiting() {
    return ready.size();
  }

  /** Calls {@code listener} whenever a stream has taken a buffer. */
  void whenTaken(Runnable listener) {
    taken = listener;
  }

  /** Lets other machines take turns while the rate is limited. */
  void shareWith(Others machines) {
    others = machines;
  }

  /** Takes over a filled buffer. */
  void add(Filled filled) {
    ready.add(filled);
    run();
  }

  /** Passes ready buffers to the streams that can take them. */
  void run() {
    while (!ready.isEmpty() || paced.hasBegun() || others.turns() > 0) {
      long now = loop.nanoTime();
      long wait = paced.nanosToWait(now);
      boolean all = bytesDispatched < FIRST_BYTES;
      if (wait > 0) {
        boolean couldSend =
            paced.canGoOn() || (!ready.isEmpty() && streams.hasWritable(all)) || others.turns() > 0;
        meter.onRateLimit(couldSend, now);
        runLater(wait);
        return;
      }
      meter.onRateLimit(false, now);
      if (turnsOfOthers > 0 && others.takeTurn(now)) {
        turnsOfOthers--;
        continue;
      }
      if (paced.goOn(now)) {
        continue;
      }
      OutboundStream stream = ready.isEmpty() ? null : streams.nextWritable(all);
      if (stream == null) {
        if (others.takeTurn(now)) {
          continue;
        }
        return;
      }
      Filled filled = ready.poll();
      if (filled.job().isStillNeeded()) {
        bytesDispatched += filled.budgeted();
        tellCompressor(now);
        turnsOfOthers = others.turns();
        send(stream, filled, now);
        taken.run();
      } else {
        drop(filled);
      }
    }
  }

  /**
   * Sets the rate of the path, as reported by the system for each stream. After a burst this is too
   * high, so the recent send rate is used if it is lower and frames waited. A rate limit is an
   * upper bound.
   */
  private void tellCompressor(long now) {
    if (!compressor.isAutomatic() || now - compressorToldNanos < TELL_NANOS) {
      return;
    }
    double seconds = (now - compressorToldNanos) / 1e9;
    long wireBytes = streams.wireBytes();
    double left = (wireBytes - compressorToldBytes) / seconds;
    boolean isFirst = compressorToldNanos == 0;
    compressorToldNanos = now;
    compressorToldBytes = wireBytes;
    if (isFirst) {
      return;
    }
    double rate = 0;
    for (OutboundStream out : streams.used()) {
      rate += out.stream().pathState().map(PathState::deliveryRate).orElse(0L);
    }
    if (!ready.isEmpty() && left > 0) {
      rate = Math.min(rate, left);
    }
    compressor.pathRate(paced.isLimited() ? Math.min(rate, paced.rate()) : rate);
  }

  private void runLater(long nanos) {
    if (planned) {
      return;
    }
    planned = true;
    loop.after(
        Math.min(nanos, LONGEST_WAIT_NANOS),
        () -> {
          planned = false;
          if (!closed) {
            run();
          }
        });
  }

  private void send(OutboundStream stream, Filled filled, long now) {
    ByteBuf frame = filled.frame();
    int length = filled.length();
    long number = stream.takeFrameNumber();
    FrameHeader header =
        filled.job() instanceof ReadJob.Block<SourceFile> block
            ? FrameHeader.block(number, block.file().id(), block.offset(), length, filled.crc())
            : FrameHeader.pack(
                number,
                ((ReadJob.Pack<SourceFile>) filled.job()).files().size(),
                length,
                filled.crc());
    if (filled.encoding() != PayloadDecoder.PLAIN) {
      header = header.encoded(filled.encoding(), frame.readableBytes() - FrameHeader.LENGTH);
    }
    header.writeAt(frame, 0);
    machine.handle(to -> to.frameSent(stream.stream().number(), number, filled.job()));
    paced.sendAndRelease(stream, frame, now, () -> budget.giveBack(filled.budgeted()));
  }

  /** Sends an idle frame on a stream, if it is free. */
  void keepOpen(int streamNumber) {
    OutboundStream stream = streams.stream(streamNumber);
    if (stream == null || !stream.takesFrames()) {
      return;
    }
    ByteBuf frame = allocator.directBuffer(FrameHeader.LENGTH, FrameHeader.LENGTH);
    FrameHeader.idle(stream.takeFrameNumber()).write(frame);
    machine.handle(to -> to.keptOpen(streamNumber));
    stream.stream().sendAndRelease(frame, () -> {});
  }

  /** Releases a buffer that is not sent. */
  void drop(Filled filled) {
    if (filled.frame() != null) {
      filled.frame().release();
      budget.giveBack(filled.budgeted());
    }
  }

  /** Drops the waiting buffers; returns their jobs. */
  List<ReadJob<SourceFile>> takeBack() {
    List<ReadJob<SourceFile>> jobs = new ArrayList<>(ready.size());
    for (Filled filled = ready.poll(); filled != null; filled = ready.poll()) {
      jobs.add(filled.job());
      drop(filled);
    }
    return jobs;
  }

  /** Drops all waiting buffers and unfinished frames. */
  void close() {
    closed = true;
    ready.forEach(this::drop);
    ready.clear();
    paced.close();
  }
}
