package io.fdt.core.tuning;

import java.util.Optional;
import java.util.OptionalLong;

/** The limit of a transfer from memory to memory between two known hosts. Stateless. */
public final class PathLimit {
  /** The minimum fill of a window that counts as a limit: windows grow, and are not always full. */
  private static final double FILLED = 0.5;

  private PathLimit() {}

  /**
   * The limit of a network test during this sample. Disks are not involved, and the fill of the
   * block memory is irrelevant. A full window counts as the limit even if the processors are busy,
   * because data was ready to be sent.
   */
  public static Bottleneck of(Sample seen, HostLimits sender, HostLimits receiver) {
    return fullWindow(seen, sender, receiver)
        .orElseGet(() -> Bottleneck.of(inMemory(seen, seen.senderCpu(), seen.receiverCpu())));
  }

  /** Whether streams waited for a window, full or not, so that the limits of the hosts matter. */
  public static boolean waitedForWindow(Sample seen) {
    return Bottleneck.of(inMemory(seen, 0, 0)).isOfOneStream();
  }

  /** The full window that streams waited for; empty for none. */
  public static Optional<Bottleneck> fullWindow(
      Sample seen, HostLimits sender, HostLimits receiver) {
    Bottleneck network = Bottleneck.of(inMemory(seen, 0, 0));
    boolean fills =
        switch (network) {
          case SEND_BUFFER -> fills(seen, Side.SENDER.window(sender));
          case RECEIVE_WINDOW -> fills(seen, Side.RECEIVER.window(receiver));
          default -> false;
        };
    return fills ? Optional.of(network) : Optional.empty();
  }

  private static boolean fills(Sample seen, OptionalLong window) {
    double seconds = seen.leastRoundTripMicros() / 1e6;
    double underWay = seen.rate() * seconds / Math.max(1, seen.streams());
    return window.isPresent() && underWay > FILLED * window.getAsLong();
  }

  private static Sample inMemory(Sample seen, double senderCpu, double receiverCpu) {
    return new Sample(
        seen.seconds(),
        seen.bytes(),
        seen.streams(),
        seen.segments(),
        seen.retransmits(),
        seen.roundTripMicros(),
        seen.leastRoundTripMicros(),
        seen.receiveWindowShare(),
        seen.sendBufferShare(),
        1,
        0,
        1,
        0,
        senderCpu,
        receiverCpu,
        seen.ownCpu(),
        seen.rateLimited(),
        seen.namesKnown());
  }
}
