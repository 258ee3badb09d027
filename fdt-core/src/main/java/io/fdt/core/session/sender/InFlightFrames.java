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
 * The streams of a sender, with the unacknowledged frames on each and the time of its last
 * progress.
 *
 * <p>Not thread-safe: confined to its {@link SenderMachine}.
 */
final class InFlightFrames<S> {
  /**
   * The time without acknowledgement after which a stream with frames in flight is replaced, if
   * others make progress.
   */
  static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(20);

  /**
   * On a slow path, blocks on many streams take longer: then the limit is this multiple of the time
   * that all bytes in flight take at the recent rate.
   */
  private static final int PATIENCE = 3;

  /** The longest silence of a stream: many NATs drop connections that are silent for longer. */
  static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * The frames of a lost stream are sent again after this time, unless the receiver acknowledges
   * them meanwhile: at the end of a session a stream may be seen to close before the receiver's
   * last messages arrive over another connection.
   */
  static final long LAST_WORD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The most acknowledged frames that a data node has not reported as sent yet. */
  private static final int MOST_UNKNOWN = 4096;

  /** The receiver's answer to a frame that the data node has not reported as sent yet. */
  enum Early {
    NONE,
    WRITTEN,
    DAMAGED
  }

  private static final class Stream<S> {
    final Map<Long, ReadJob<S>> jobs = new HashMap<>();

    /** Acknowledged frames that the data node has not reported as sent yet. */
    final Map<Long, Early> early = new HashMap<>();

    final int number;
    final boolean atNode;

    /** The time of its loss, if lost. */
    long lostNanos;

    /** The time of the last data or acknowledgement; at first that of opening. */
    long movedNanos;

    /** Whether there was data or an acknowledgement. */
    boolean hasMoved;

    /** The time of the last data or idle frame. */
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

  /** By number, so that behaviour does not depend on hashes. */
  private final Map<Integer, Stream<S>> streams = new TreeMap<>();

  /** Lost streams with frames that the receiver may still acknowledge. */
  private final List<Stream<S>> gone = new ArrayList<>();

  private final RecentRate acknowledged = new RecentRate(STUCK_NANOS);

  /**
   * Adds a stream.
   *
   * @param atNode whether a data node has it, which reports later which frames it has sent
   */
  void opened(int stream, boolean atNode, long nowNanos) {
    streams.put(stream, new Stream<>(stream, atNode, nowNanos));
    acknowledged.add(0, nowNanos);
  }

  /**
   * Records a sent frame with this job.
   *
   * @return the receiver's answer if it has arrived already; then the frame is not in flight
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

  /** Records that data was sent on a stream. */
  void moved(int stream, long nowNanos) {
    Stream<S> found = streams.get(stream);
    if (found != null) {
      found.moved(nowNanos);
    }
  }

  /** Records that an idle frame was sent on a stream. */
  void keptOpen(int stream, long nowNanos) {
    Stream<S> found = streams.get(stream);
    if (found != null) {
      found.sentNanos = nowNanos;
    }
  }

  /** Records a lost stream; {@link #takeLost} returns its frames later. */
  void lost(int stream, long nowNanos) {
    Stream<S> lost = streams.remove(stream);
    if (lost != null && !lost.jobs.isEmpty()) {
      lost.lostNanos = nowNanos;
      gone.add(lost);
    }
  }

  /** The unacknowledged jobs of streams lost at least {@link #LAST_WORD_NANOS} ago. */
  List<ReadJob<S>> takeLost(long nowNanos) {
    List<ReadJob<S>> jobs = new ArrayList<>();
    while (!gone.isEmpty() && nowNanos - gone.get(0).lostNanos >= LAST_WORD_NANOS) {
      jobs.addAll(gone.remove(0).jobs.values());
    }
    return jobs;
  }

  /** The stream of this number, open or recently lost; null if unknown. */
  private Stream<S> find(int number) {
    Stream<S> open = streams.get(number);
    return open != null
        ? open
        : gone.stream().filter(stream -> stream.number == number).findFirst().orElse(null);
  }

  /**
   * Removes acknowledged frames.
   *
   * @param written takes written jobs
   * @param damaged takes jobs that arrived damaged
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

  /** Adds actions for idle and stuck streams. */
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

  /** The time that all bytes in flight take at the recent rate; infinite when nothing arrives. */
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
