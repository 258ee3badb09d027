package io.fdt.core.tuning;

/**
 * The figures of a transfer at both ends for a short time, about a second. Immutable.
 *
 * @param seconds its length, more than 0
 * @param bytes of files that the receiver has written in it
 * @param streams that data was spread over
 * @param segments that TCP has sent in it; 0 where the system does not say
 * @param retransmits those of them that it has sent again
 * @param roundTripMicros the mean of the streams; 0 when it is not known
 * @param leastRoundTripMicros the least that was seen; 0 when it is not known
 * @param receiveWindowShare how much of the time, 0 to 1, streams waited for the receiver's window
 * @param sendBufferShare how much of the time, 0 to 1, streams waited for room in their own buffer
 * @param senderFill how full the sender's memory for blocks is, 0 to 1
 * @param receiverFill how much of the receiver's memory waits for its disks, 0 to 1 and more
 * @param sourceBusy how much of the time, 0 to 1, the readers of the busiest disk of the source
 *     were at work or waited for memory
 * @param destinationBusy the same of the writers of the busiest disk of the destination
 * @param senderCpu how far the processors of the sender hold transfers back: the share of all of
 *     them that is in use, by whatever, or less where no thread of the process works for half of
 *     the time (see CpuMeter), 0 to 1
 * @param receiverCpu the receiver's
 * @param ownCpu share of all processors of the busier end that the transfer's own process uses, 0
 *     to 1
 * @param rateLimited whether the limit that was asked for made streams wait
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
    boolean rateLimited) {

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

  /** Share of segments that were sent again, 0 to 1. */
  public double loss() {
    return segments == 0 ? 0 : Math.min(1, (double) retransmits / segments);
  }

  /** The processors of the end that uses more of its own. */
  public double cpu() {
    return Math.max(senderCpu, receiverCpu);
  }

  /** This time and the one after it, as one. */
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
        rateLimited || next.rateLimited);
  }

  /** The sum of two that are not negative; a peer's may be as large as it likes. */
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
