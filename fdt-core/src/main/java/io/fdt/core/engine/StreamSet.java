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

    /** A frame has left in part, or no longer has: meanwhile it takes nothing but the rest. */
    public void setWithinFrame(boolean within) {
      withinFrame = within;
    }

    /** Whether it can take a new frame now. */
    public boolean takesFrames() {
      return !withinFrame && stream.isWritable();
    }

    public long takeFrameNumber() {
      return nextFrame++;
    }
  }

  /**
   * Bytes in the kernel beyond this would only wait, while another stream may be free sooner. It
   * asks for more when half of it is left: for so long the event loop may be busy.
   */
  private static final double UNSENT_SECONDS = 0.1;

  /** The bound for all streams together: a rate may grow between two samples. */
  private static final long LEAST_UNSENT = 4 << 20;

  /** Less would have a stream ask for more too often. */
  private static final long LEAST_UNSENT_OF_ONE = 256 << 10;

  private final List<OutboundStream> streams = new ArrayList<>();
  private int mostInUse = Integer.MAX_VALUE;

  /**
   * Bytes of all streams in use; 0 while nothing is limited. Goes down slowly: a rate may pause.
   */
  private long mostUnsent;

  private String congestion = "";
  private int turn;
  private long closedWireBytes;
  private long closedPayloadBytes;
  private long closedSegmentsRepeated;

  /** Returns false when the system does not let it have the congestion control that is set. */
  public boolean add(DataStream stream) {
    streams.add(place(stream.path()), new OutboundStream(stream));
    return congestion.isEmpty() || stream.setCongestion(congestion);
  }

  /** Streams of several paths take turns, so that the first few are of as many paths. */
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

  /** The streams that get frames now. */
  public List<OutboundStream> used() {
    return List.copyOf(streams.subList(0, inUse()));
  }

  /** The streams that are open now, those in use first. */
  public List<OutboundStream> all() {
    return List.copyOf(streams);
  }

  /** The stream of this number; null when there is none. */
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
   * A stream that can take a new frame now, each in its turn; null when none can.
   *
   * @param all whether those that are parked count, too
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

  /** From now on at most so many are given frames; the others are parked: open, and silent. */
  public void use(int most) {
    mostInUse = most;
    if (mostUnsent > 0) {
      limitUnsent();
    }
  }

  /** How many are given frames. */
  public int inUse() {
    return Math.min(mostInUse, streams.size());
  }

  /**
   * Has TCP use this congestion control on all streams, also on those that come.
   *
   * @param name empty for what the system takes by itself
   * @return false when the system does not let us on one of them
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
   * Has the system keep little unsent of what the streams in use were given.
   *
   * @param rate of all of them, bytes per second
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

  /** The congestion control of the first stream; empty where the system does not say. */
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

  /** Bytes of payloads that have come. */
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
