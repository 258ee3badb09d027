package io.fdt.core.session.sender;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.control.FrameAcks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The streams of a sender, with the frames on each that are not acknowledged, and when each last
 * moved.
 *
 * <p>Not thread-safe: confined to its {@link SenderMachine}.
 */
final class InFlightFrames<S> {
  /**
   * A stream that has frames under way and gets no acknowledgement for this long, while others do,
   * is replaced.
   */
  static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(20);

  /**
   * On a slow path blocks on many streams take longer than that: as many times as long as all that
   * is under way takes at the rate of late.
   */
  private static final int PATIENCE = 3;

  /** Many address translators forget a connection that is silent for longer than this. */
  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * The frames of a lost stream are sent again after this time, unless the receiver acknowledges
   * them meanwhile: at the end of a session a stream may be seen to close before the receiver's
   * last messages arrive over another connection.
   */
  static final long LAST_WORD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Frames that a data node may have sent without having said so yet. */
  private static final int MOST_UNKNOWN = 4096;

  /** The receiver's answer to a frame that is not known here to be sent. */
  enum Early {
    NONE,
    WRITTEN,
    DAMAGED
  }

  private static final class Stream<S> {
    final Map<Long, ReadJob<S>> jobs = new HashMap<>();

    /** Frames of a stream at a data node that are acknowledged and not known here. */
    final Map<Long, Early> early = new HashMap<>();

    final int number;
    final boolean atNode;

    /** When it was lost, if it was. */
    long lostNanos;

    /** When data was given to it, or an acknowledgement came; at first when it was opened. */
    long movedNanos;

    /** Whether any of that has happened. */
    boolean hasMoved;

    /** When data or an idle frame was given to it. */
    long sentNanos;

    Stream(int number, boolean atNode, long nowNanos) {
      this.number = number;
      this.atNode = atNode;
      movedNanos = nowNanos;
      sentNanos = nowNanos;
    }

    void moved(long nowNanos) {
      movedNanos = nowNanos;
      sentNanos = nowNanos;
      hasMoved = true;
    }
  }

  /** By number, so that what happens does not depend on hashes. */
  private final Map<Integer, Stream<S>> streams = new TreeMap<>();

  /** Lost streams with frames that the receiver may still acknowledge. */
  private final List<Stream<S>> gone = new ArrayList<>();

  private final RecentRate acknowledged = new RecentRate(STUCK_NANOS);

  /**
   * A stream is there.
   *
   * @param atNode whether a data node has it, which says later what it has sent
   */
  void opened(int stream, boolean atNode, long nowNanos) {
    streams.put(stream, new Stream<>(stream, atNode, nowNanos));
    acknowledged.add(0, nowNanos);
  }

  /**
   * The frame with this number on this stream holds this job.
   *
   * @return what the receiver has said of it already; then it is not in flight any more
   */
  Early sent(int stream, long number, ReadJob<S> job, long nowNanos) {
    Stream<S> found = streams.computeIfAbsent(stream, s -> new Stream<>(s, false, nowNanos));
    Early early = found.early.remove(number);
    if (early != null) {
      acknowledged.add(early == Early.WRITTEN ? bytes(job) : 0, nowNanos);
      return early;
    }
    found.jobs.put(number, job);
    return Early.NONE;
  }

  /** Data was given to a stream. */
  void moved(int stream, long nowNanos) {
    Stream<S> found = streams.get(stream);
    if (found != null) {
      found.moved(nowNanos);
    }
  }

  /** An idle frame was given to a stream. */
  void keptOpen(int stream, long nowNanos) {
    Stream<S> found = streams.get(stream);
    if (found != null) {
      found.sentNanos = nowNanos;
    }
  }

  /** A stream is gone; what was on it is given up by {@link #takeLost}. */
  void lost(int stream, long nowNanos) {
    Stream<S> lost = streams.remove(stream);
    if (lost != null && !lost.jobs.isEmpty()) {
      lost.lostNanos = nowNanos;
      gone.add(lost);
    }
  }

  /** The frames of lost streams for which the time of {@link #LAST_WORD_NANOS} is over. */
  List<ReadJob<S>> takeLost(long nowNanos) {
    List<ReadJob<S>> jobs = new ArrayList<>();
    while (!gone.isEmpty() && nowNanos - gone.get(0).lostNanos >= LAST_WORD_NANOS) {
      jobs.addAll(gone.remove(0).jobs.values());
    }
    return jobs;
  }

  /** The stream of this number, open or lost a short while ago; null when there is none. */
  private Stream<S> find(int number) {
    Stream<S> open = streams.get(number);
    return open != null
        ? open
        : gone.stream().filter(stream -> stream.number == number).findFirst().orElse(null);
  }

  /**
   * Takes acknowledged frames out.
   *
   * @param written gets jobs that are written
   * @param damaged gets jobs that came damaged
   * @throws FdtException PROTOCOL when frames are acknowledged that are not in flight
   */
  void acknowledge(
      FrameAcks acks, long nowNanos, List<ReadJob<S>> written, List<ReadJob<S>> damaged)
      throws FdtException {
    Stream<S> stream = find(acks.getStream());
    if (stream == null) {
      return; // lost a while ago: everything of it goes again
    }
    if (acks.getWrittenCount() % 2 != 0) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "acknowledgement with %d values; pairs are expected".formatted(acks.getWrittenCount()));
    }
    for (int i = 0; i < acks.getWrittenCount(); i += 2) {
      long first = acks.getWritten(i);
      long count = acks.getWritten(i + 1);
      long most = stream.atNode ? MOST_UNKNOWN : stream.jobs.size();
      if (count < 1 || count > most || first > Long.MAX_VALUE - count) {
        throw new FdtException(
            ErrorCode.PROTOCOL,
            "acknowledgement of %s frames from %s on; at most %d are in flight"
                .formatted(Long.toUnsignedString(count), Long.toUnsignedString(first), most));
      }
      for (long number = first; number < first + count; number++) {
        take(stream, number, Early.WRITTEN, written);
      }
    }
    acknowledged.add(written.stream().mapToLong(InFlightFrames::bytes).sum(), nowNanos);
    for (long number : acks.getDamagedList()) {
      take(stream, number, Early.DAMAGED, damaged);
    }
    stream.moved(nowNanos);
  }

  private static long bytes(ReadJob<?> job) {
    return FrameHeader.LENGTH + job.payload();
  }

  private static <S> void take(Stream<S> stream, long number, Early said, List<ReadJob<S>> jobs)
      throws FdtException {
    ReadJob<S> job = stream.jobs.remove(number);
    if (job != null) {
      jobs.add(job);
    } else if (!stream.atNode
        || stream.early.size() >= MOST_UNKNOWN
        || stream.early.put(number, said) != null) {
      throw new FdtException(
          ErrorCode.PROTOCOL, "acknowledgement of frame " + number + ", which is not in flight");
    }
  }

  /** Adds what is to be done with streams that have been quiet for long. */
  void watch(long nowNanos, List<? super SenderAction<S>> actions) {
    boolean someMove =
        streams.values().stream()
            .anyMatch(stream -> stream.hasMoved && nowNanos - stream.movedNanos < STUCK_NANOS / 4);
    double patience = someMove ? Math.max(STUCK_NANOS, PATIENCE * nanosForAll(nowNanos)) : 0;
    streams.forEach(
        (number, stream) -> {
          if (stream.jobs.isEmpty()) {
            if (nowNanos - stream.sentNanos > IDLE_NANOS) {
              actions.add(new SenderAction.KeepOpen<>(number));
            }
          } else if (someMove && nowNanos - stream.movedNanos > patience) {
            actions.add(new SenderAction.CloseStream<>(number)); // its own path is blocked
          }
        });
  }

  /** How long what is under way takes at the rate of late; infinite when nothing arrives. */
  private double nanosForAll(long nowNanos) {
    long bytes = 0;
    for (Stream<S> stream : streams.values()) {
      for (ReadJob<S> job : stream.jobs.values()) {
        bytes += bytes(job);
      }
    }
    return bytes / acknowledged.perNano(nowNanos);
  }
}
