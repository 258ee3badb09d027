package io.fdt.core.engine;

import io.fdt.core.transport.DataStream;
import java.util.ArrayList;
import java.util.List;

/** The open data streams of one session. Confined to the event loop of the session. */
public final class StreamSet {
  /** One stream and the number of its next frame. */
  public static final class Lane {
    public final DataStream stream;
    private long nextFrame;

    /** When data was given to it, or an acknowledgement came; at first when it was opened. */
    private long lastMovedNanos;

    /** Whether any of that has happened. */
    private boolean hasMoved;

    /** When an idle frame was given to it, or data. */
    private long lastSentNanos;

    /** Frames that were given to the stream and are not acknowledged. */
    public int unacknowledged;

    /** A frame has left in part; the stream takes nothing but its rest. */
    public boolean isWithinFrame;

    Lane(DataStream stream, long nowNanos) {
      this.stream = stream;
      this.lastMovedNanos = nowNanos;
      this.lastSentNanos = nowNanos;
    }

    /** Data was given to it, or one of its frames was acknowledged. */
    public void moved(long nowNanos) {
      lastMovedNanos = nowNanos;
      lastSentNanos = nowNanos;
      hasMoved = true;
    }

    /** It was kept open with a frame that carries nothing. */
    public void keptOpen(long nowNanos) {
      lastSentNanos = nowNanos;
    }

    private boolean takesFrames() {
      return !isWithinFrame && stream.isWritable();
    }

    public long takeFrameNumber() {
      return nextFrame++;
    }
  }

  /**
   * What the kernel is given beyond this would only wait for its turn, which another stream may
   * have sooner. It asks for more when half of it is left: for so long the event loop may be busy.
   */
  private static final double UNSENT_SECONDS = 0.1;

  /** Of all streams together: a rate may grow between two looks at it. */
  private static final long LEAST_UNSENT = 4 << 20;

  /** Less would have a stream ask for more too often. */
  private static final long LEAST_UNSENT_OF_ONE = 256 << 10;

  private final List<Lane> lanes = new ArrayList<>();
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
  public boolean add(DataStream stream, long nowNanos) {
    lanes.add(new Lane(stream, nowNanos));
    return congestion.isEmpty() || stream.setCongestion(congestion);
  }

  /** All of them, at this moment. */
  List<Lane> lanes() {
    return List.copyOf(lanes);
  }

  /**
   * Those that have frames under way and have not moved for this long, while others move: it is
   * their own way that is blocked.
   */
  public List<Lane> stuck(long nowNanos, long stuckNanos) {
    boolean othersMove =
        lanes.stream()
            .anyMatch(lane -> lane.hasMoved && nowNanos - lane.lastMovedNanos < stuckNanos / 4);
    return lanes.stream()
        .filter(lane -> lane.unacknowledged > 0 && nowNanos - lane.lastMovedNanos > stuckNanos)
        .filter(lane -> othersMove)
        .toList();
  }

  /** Those that have nothing under way, and were given nothing for this long. */
  public List<Lane> silent(long nowNanos, long idleNanos) {
    return lanes.stream()
        .filter(lane -> lane.unacknowledged == 0 && nowNanos - lane.lastSentNanos > idleNanos)
        .toList();
  }

  /** Those that are given frames, at this moment. */
  public List<Lane> lanesInUse() {
    return List.copyOf(lanes.subList(0, inUse()));
  }

  /** The lane of a stream number; null when there is none. */
  public Lane lane(int streamNumber) {
    for (Lane lane : lanes) {
      if (lane.stream.number() == streamNumber) {
        return lane;
      }
    }
    return null;
  }

  public void remove(DataStream stream) {
    if (lanes.removeIf(lane -> lane.stream == stream)) {
      closedWireBytes += stream.wireBytes();
      closedPayloadBytes += stream.payloadBytes();
      closedSegmentsRepeated += stream.segmentsRepeated();
    }
  }

  public int size() {
    return lanes.size();
  }

  /**
   * A stream that can take a new frame now, each in its turn; null when none can.
   *
   * @param all whether those that are parked count, too
   */
  public Lane nextWritable(boolean all) {
    int inUse = all ? lanes.size() : inUse();
    for (int i = 0; i < inUse; i++) {
      turn = turn + 1 < inUse ? turn + 1 : 0;
      Lane lane = lanes.get(turn);
      if (lane.takesFrames()) {
        return lane;
      }
    }
    return null;
  }

  /** Whether {@link #nextWritable} would find one. */
  public boolean hasWritable(boolean all) {
    return lanes.subList(0, all ? lanes.size() : inUse()).stream().anyMatch(Lane::takesFrames);
  }

  /** From now on at most so many are given frames; the others are parked: open, and silent. */
  public void use(int most) {
    mostInUse = most;
    if (mostUnsent > 0) {
      limitUnsent();
    }
  }

  /** Those that are given frames. */
  public int inUse() {
    return Math.min(mostInUse, lanes.size());
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
    for (Lane lane : lanes) {
      done &= lane.stream.setCongestion(name);
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
    lanesInUse().forEach(lane -> lane.stream.limitUnsent(ofOne));
  }

  /** What the first stream uses; empty where the system does not say. */
  public String congestion() {
    return lanes.isEmpty() ? "" : lanes.get(0).stream.congestion();
  }

  public void setReading(boolean reading) {
    for (Lane lane : lanes) {
      lane.stream.setReading(reading);
    }
  }

  public long wireBytes() {
    long sum = closedWireBytes;
    for (Lane lane : lanes) {
      sum += lane.stream.wireBytes();
    }
    return sum;
  }

  /** That have come. */
  public long payloadBytes() {
    long sum = closedPayloadBytes;
    for (Lane lane : lanes) {
      sum += lane.stream.payloadBytes();
    }
    return sum;
  }

  public long segmentsRepeated() {
    long sum = closedSegmentsRepeated;
    for (Lane lane : lanes) {
      sum += lane.stream.segmentsRepeated();
    }
    return sum;
  }

  public void closeAll() {
    for (Lane lane : List.copyOf(lanes)) {
      lane.stream.close();
    }
  }
}
