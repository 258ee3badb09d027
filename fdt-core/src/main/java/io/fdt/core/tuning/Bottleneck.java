package io.fdt.core.tuning;

/** The limit of a transfer. */
public enum Bottleneck {
  /** The limit that was asked for. */
  RATE_LIMIT("the rate limit", false),
  /** Received blocks wait for the disks of the receiver. */
  DESTINATION_DISK("the destination's disk", false),
  CPU("the processor", false),
  /** The streams could send more than the disks of the sender give. */
  SOURCE_DISK("the source's disk", false),
  /** Neither disks nor network have enough to do: names are still being found or looked up. */
  NAMES("finding and looking up names", false),
  /** The receiver's system lets streams have no larger window. */
  RECEIVE_WINDOW("the receiver's TCP window", true),
  /** The sender's system lets streams have no larger buffer. */
  SEND_BUFFER("the sender's TCP buffer", true),
  /** Packets get lost although no queue has grown. */
  LOSS("loss on the path", true),
  /** The path carries no more, or congestion control has not found out yet. */
  NETWORK("the network", true);

  /**
   * A memory for blocks that is this full waits for what comes after it. The receiver's goes up to
   * 1, where it stops reading, and down to 0.5, where it goes on.
   */
  private static final double RECEIVER_WAITS = 0.45;

  /** A memory that is emptier than this waits for what comes before it. */
  private static final double SENDER_WAITS = 0.2;

  /** Readers that are less busy than this wait for something to read. */
  private static final double READERS_WORK = 0.5;

  /** Processors that are this busy are as good as full. */
  static final double BUSY = 0.85;

  /** The share of the time of all streams; below it other limits count as well. */
  private static final double LIMITED_SHARE = 0.3;

  /**
   * Two segments in 100,000: with 1 in 100,000 a stream of CUBIC carries 110 Mbit/s at 150 ms, with
   * 1 in 10,000 it is 20 (RFC 9438).
   */
  private static final double LOSSY = 2e-5;

  /** A round trip that takes so much longer than the least says that a queue has grown. */
  private static final double QUEUE_GROWN = 1.5;

  private final String text;
  private final boolean network;

  Bottleneck(String text, boolean network) {
    this.text = text;
    this.network = network;
  }

  /** For people. */
  public String text() {
    return text;
  }

  /** Whether more streams may help. */
  public boolean isNetwork() {
    return network;
  }

  /** Whether each stream has as much as one can have, so that another one has as much again. */
  public boolean isOfOneStream() {
    return this == RECEIVE_WINDOW || this == SEND_BUFFER;
  }

  /** The limit of a transfer in the time of this sample. */
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
    if (sample.senderFill() < SENDER_WAITS) {
      return sample.sourceBusy() < READERS_WORK ? NAMES : SOURCE_DISK;
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
