package io.fdt.core.tuning;

/**
 * The figures of a transfer at both ends for a short time, about a second. Immutable.
 *
 * @param seconds its length, more than 0
 * @param bytes of files written by the receiver
 * @param streams in use
 * @param segments sent by TCP; 0 if unknown
 * @param retransmits segments sent again
 * @param roundTripMicros mean of the streams; 0 when unknown
 * @param leastRoundTripMicros minimum; 0 when unknown
 * @param receiveWindowShare share of time, 0 to 1, in which streams waited for the receiver's
 *     window
 * @param sendBufferShare share of time, 0 to 1, in which streams waited for space in their own
 *     buffer
 * @param senderFill fill of the sender's block memory, 0 to 1
 * @param receiverFill share of the receiver's block memory that waits for its disks, 0 to 1 or more
 * @param sourceBusy share of time, 0 to 1, in which the readers of the busiest source disk worked
 *     or waited for memory
 * @param destinationBusy the same for the writers of the busiest destination disk
 * @param senderCpu load of the sender's processors by all processes, lower if no thread of the
 *     process works half of the time (see CpuMeter), 0 to 1
 * @param receiverCpu the same for the receiver
 * @param ownCpu share of all processors of the busier end used by the transfer's process, 0 to 1
 * @param rateLimited whether streams waited for the requested rate limit
 * @param namesKnown whether all files were found and looked up at its end
 */
public record Sample(
    double seconds,
    long bytes,
    int streams,
    long segments,
    long retransmits,
    long roundTripMicros,
    long leastRoundTripMicros,
    double receiveWindowShare,
    double sendBufferShare,
    double senderFill,
    double receiverFill,
    double sourceBusy,
    double destinationBusy,
    double senderCpu,
    double receiverCpu,
    double ownCpu,
    boolean rateLimited,
    boolean namesKnown) {

  public Sample {
    if (!(seconds > 0) || bytes < 0 || streams < 0) {
      throw new IllegalArgumentException(
          "seconds=" + seconds + " bytes=" + bytes + " streams=" + streams);
    }
  }

  /** Bytes per second. */
  public double rate() {
    return bytes / seconds;
  }

  /** Share of retransmitted segments, 0 to 1. */
  public double loss() {
    return segments == 0 ? 0 : Math.min(1, (double) retransmits / segments);
  }

  /** The load of the processors of the busier end. */
  public double cpu() {
    return Math.max(senderCpu, receiverCpu);
  }

  /** Combines this sample and the next one. */
  public Sample and(Sample next) {
    return new Sample(
        seconds + next.seconds,
        sum(bytes, next.bytes),
        next.streams,
        sum(segments, next.segments),
        sum(retransmits, next.retransmits),
        Math.round(mean(roundTripMicros, next, next.roundTripMicros)),
        leastKnown(leastRoundTripMicros, next.leastRoundTripMicros),
        mean(receiveWindowShare, next, next.receiveWindowShare),
        mean(sendBufferShare, next, next.sendBufferShare),
        mean(senderFill, next, next.senderFill),
        mean(receiverFill, next, next.receiverFill),
        mean(sourceBusy, next, next.sourceBusy),
        mean(destinationBusy, next, next.destinationBusy),
        mean(senderCpu, next, next.senderCpu),
        mean(receiverCpu, next, next.receiverCpu),
        mean(ownCpu, next, next.ownCpu),
        rateLimited || next.rateLimited,
        next.namesKnown);
  }

  /** The saturating sum of two non-negative numbers, which a peer may choose. */
  private static long sum(long one, long other) {
    return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
  }

  private static long leastKnown(long one, long other) {
    return one == 0 || other == 0 ? Math.max(one, other) : Math.min(one, other);
  }

  private double mean(double mine, Sample next, double others) {
    return (mine * seconds + others * next.seconds) / (seconds + next.seconds);
  }
}
