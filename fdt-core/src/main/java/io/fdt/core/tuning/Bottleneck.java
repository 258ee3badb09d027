package io.fdt.core.tuning;

/** The limit of a transfer. */
public enum Bottleneck {
  /** The requested rate limit. */
  RATE_LIMIT("the rate limit", false),
  /** Received blocks wait for the disks of the receiver. */
  DESTINATION_DISK("the destination's disk", false),
  CPU("the processor", false),
  /** The streams could send more than the disks of the sender deliver. */
  SOURCE_DISK("the source's disk", false),
  /** Neither disks nor network are busy: names are still being found or looked up. */
  NAMES("finding and looking up names", false),
  /** The receiver's system limits the window of streams. */
  RECEIVE_WINDOW("the receiver's TCP window", true),
  /** The sender's system limits the buffer of streams. */
  SEND_BUFFER("the sender's TCP buffer", true),
  /** Packets are lost although no queue has grown. */
  LOSS("loss on the path", true),
  /** The path is full, or congestion control has not reached its rate yet. */
  NETWORK("the network", true);

  /**
   * From this fill of its block memory on, the receiver waits for its disks. It stops reading at a
   * fill of 1, and resumes at 0.5.
   */
  private static final double RECEIVER_WAITS = 0.45;

  /** Below this fill of its block memory, the sender waits for its disks. */
  private static final double SENDER_WAITS = 0.2;

  /** Below this load, the threads of a disk wait for work. */
  private static final double DISK_WORKS = 0.5;

  /** From this load on, processors count as full. */
  static final double BUSY = 0.85;

  /** The share of time in which streams are limited; below it, other limits are considered. */
  private static final double LIMITED_SHARE = 0.3;

  /**
   * A loss of 2 segments in 100,000: with 1 in 100,000, a CUBIC stream carries 110 Mbit/s at 150
   * ms, with 1 in 10,000 it carries 20 Mbit/s (RFC 9438).
   */
  private static final double LOSSY = 2e-5;

  /** The ratio of the round trip to the minimum from which on a queue has grown. */
  private static final double QUEUE_GROWN = 1.5;

  private final String text;
  private final boolean network;

  Bottleneck(String text, boolean network) {
    this.text = text;
    this.network = network;
  }

  /** The name for display. */
  public String text() {
    return text;
  }

  /** Whether more streams may help. */
  public boolean isNetwork() {
    return network;
  }

  /** Whether each stream is at its own limit, so that another stream adds to the rate. */
  public boolean isOfOneStream() {
    return this == RECEIVE_WINDOW || this == SEND_BUFFER;
  }

  /**
   * Whether all is read, and the rest is in the system's buffers, on its way, or at the receiver.
   */
  public static boolean isDrained(Sample sample) {
    return sample.namesKnown()
        && sample.senderFill() < SENDER_WAITS
        && sample.sourceBusy() < DISK_WORKS;
  }

  /** The limit of a transfer during this sample. */
  public static Bottleneck of(Sample sample) {
    if (sample.rateLimited()) {
      return RATE_LIMIT;
    }
    if (sample.cpu() > BUSY) {
      return CPU;
    }
    if (sample.receiverFill() > RECEIVER_WAITS) {
      return DESTINATION_DISK;
    }
    if (isDrained(sample)) {
      if (sample.destinationBusy() >= DISK_WORKS) {
        return DESTINATION_DISK;
      }
    } else if (sample.senderFill() < SENDER_WAITS) {
      return sample.sourceBusy() < DISK_WORKS ? NAMES : SOURCE_DISK;
    }
    if (sample.receiveWindowShare() > LIMITED_SHARE) {
      return RECEIVE_WINDOW;
    }
    if (sample.sendBufferShare() > LIMITED_SHARE) {
      return SEND_BUFFER;
    }
    boolean queueGrown = sample.roundTripMicros() > QUEUE_GROWN * sample.leastRoundTripMicros();
    return sample.loss() > LOSSY && !queueGrown ? LOSS : NETWORK;
  }
}
