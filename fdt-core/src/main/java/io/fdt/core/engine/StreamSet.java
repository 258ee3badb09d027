package io.fdt.core.engine;

import io.fdt.core.transport.DataStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The open data streams of one session. Confined to the loop of the session. */
public final class StreamSet {
  /** One stream and the number of its next frame. */
  public static final class OutboundStream {
    private final DataStream stream;
    private long nextFrame;
    private boolean withinFrame;

    private OutboundStream(DataStream stream) {
      this.stream = stream;
    }

    public DataStream stream() {
      return stream;
    }

    /** Sets whether a frame was written only in part; then the stream takes only the rest of it. */
    public void setWithinFrame(boolean within) {
      withinFrame = within;
    }

    /** Whether the stream can take a new frame now. */
    public boolean takesFrames() {
      return !withinFrame && stream.isWritable();
    }

    public long takeFrameNumber() {
      return nextFrame++;
    }
  }

  /**
   * The unsent bytes in the kernel, in seconds of the rate. More would only wait, while another
   * stream may be free sooner. The kernel requests more bytes at half of this, so the event loop
   * may be busy for the other half.
   */
  private static final double UNSENT_SECONDS = 0.1;

  /** The minimum for all streams together, because the rate may grow between two samples. */
  private static final long LEAST_UNSENT = 4 << 20;

  /** The minimum for one stream: with less, it would become writable too often. */
  private static final long LEAST_UNSENT_OF_ONE = 256 << 10;

  private final List<OutboundStream> streams = new ArrayList<>();
  private int mostInUse = Integer.MAX_VALUE;

  /**
   * The limit of unsent bytes of all streams in use; 0 for no limit. It falls slowly, because the
   * rate may drop for a short time.
   */
  private long mostUnsent;

  private String congestion = "";
  private int turn;
  private long closedWireBytes;
  private long closedPayloadBytes;
  private long closedSegmentsRepeated;

  /** Adds a stream; returns false when the system refuses the congestion control. */
  public boolean add(DataStream stream) {
    streams.add(place(stream.path()), new OutboundStream(stream));
    return congestion.isEmpty() || stream.setCongestion(congestion);
  }

  /**
   * The position for a stream: paths alternate, so that the first streams use as many paths as
   * possible.
   */
  private int place(String path) {
    Map<String, Integer> seen = new HashMap<>();
    streams.forEach(one -> seen.merge(one.stream.path(), 1, Integer::sum));
    int before = seen.getOrDefault(path, 0);
    seen.clear();
    for (int i = 0; i < streams.size(); i++) {
      if (seen.merge(streams.get(i).stream.path(), 1, Integer::sum) > before + 1) {
        return i;
      }
    }
    return streams.size();
  }

  /** The streams in use. */
  public List<OutboundStream> used() {
    return List.copyOf(streams.subList(0, inUse()));
  }

  /** All open streams, those in use first. */
  public List<OutboundStream> all() {
    return List.copyOf(streams);
  }

  /** The stream of this number; null if unknown. */
  public OutboundStream stream(int number) {
    for (OutboundStream one : streams) {
      if (one.stream.number() == number) {
        return one;
      }
    }
    return null;
  }

  public void remove(DataStream stream) {
    if (streams.removeIf(one -> one.stream == stream)) {
      closedWireBytes += stream.wireBytes();
      closedPayloadBytes += stream.payloadBytes();
      closedSegmentsRepeated += stream.segmentsRepeated();
    }
  }

  public int size() {
    return streams.size();
  }

  /**
   * The next stream, in turn, that can take a new frame; null when none can.
   *
   * @param all whether to include parked streams
   */
  public OutboundStream nextWritable(boolean all) {
    int inUse = all ? streams.size() : inUse();
    for (int i = 0; i < inUse; i++) {
      turn = turn + 1 < inUse ? turn + 1 : 0;
      OutboundStream one = streams.get(turn);
      if (one.takesFrames()) {
        return one;
      }
    }
    return null;
  }

  /** Whether {@link #nextWritable} would find one. */
  public boolean hasWritable(boolean all) {
    return streams.subList(0, all ? streams.size() : inUse()).stream()
        .anyMatch(OutboundStream::takesFrames);
  }

  /**
   * Sets the maximum number of streams in use; other open streams are parked: they get no frames.
   */
  public void use(int most) {
    mostInUse = most;
    if (mostUnsent > 0) {
      limitUnsent();
    }
  }

  /** The number of streams in use. */
  public int inUse() {
    return Math.min(mostInUse, streams.size());
  }

  /**
   * Sets the TCP congestion control of all streams, also of later ones.
   *
   * @param name empty for the system's default
   * @return false when the system refuses it for a stream
   */
  public boolean setCongestion(String name) {
    congestion = name;
    boolean done = true;
    for (OutboundStream one : streams) {
      done &= one.stream.setCongestion(name);
    }
    return done;
  }

  /**
   * Limits the unsent bytes in the kernel (TCP_NOTSENT_LOWAT) of the streams in use.
   *
   * @param rate of all streams together, bytes per second
   */
  public void limitUnsent(double rate) {
    long enough = Math.max(LEAST_UNSENT, (long) (UNSENT_SECONDS * rate));
    mostUnsent = Math.max(mostUnsent / 2, enough);
    limitUnsent();
  }

  private void limitUnsent() {
    long ofOne = Math.max(LEAST_UNSENT_OF_ONE, mostUnsent / Math.max(1, inUse()));
    used().forEach(one -> one.stream.limitUnsent(ofOne));
  }

  /** The congestion control of the first stream; empty if unknown. */
  public String congestion() {
    return streams.isEmpty() ? "" : streams.get(0).stream.congestion();
  }

  public void setReading(boolean reading) {
    for (OutboundStream one : streams) {
      one.stream.setReading(reading);
    }
  }

  public long wireBytes() {
    long sum = closedWireBytes;
    for (OutboundStream one : streams) {
      sum += one.stream.wireBytes();
    }
    return sum;
  }

  /** Bytes of payloads received. */
  public long payloadBytes() {
    long sum = closedPayloadBytes;
    for (OutboundStream one : streams) {
      sum += one.stream.payloadBytes();
    }
    return sum;
  }

  public long segmentsRepeated() {
    long sum = closedSegmentsRepeated;
    for (OutboundStream one : streams) {
      sum += one.stream.segmentsRepeated();
    }
    return sum;
  }

  /** Closes the stream of this number, if there is one. */
  public void close(int number) {
    OutboundStream one = stream(number);
    if (one != null) {
      one.stream.close();
    }
  }

  public void closeAll() {
    for (OutboundStream one : List.copyOf(streams)) {
      one.stream.close();
    }
  }
}
