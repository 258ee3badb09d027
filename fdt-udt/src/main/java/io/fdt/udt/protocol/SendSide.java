package io.fdt.udt.protocol;

import io.fdt.core.model.RangeSet;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.Protection;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The sending half of a connection: written bytes that the peer has not acknowledged.
 *
 * <pre>
 *   first            next              ready     ready + 1
 *     | sent, some lost | never sent, full |  filling  |   free
 * </pre>
 *
 * <p>The packets themselves are in {@link SendWindow}. A packet that is not full is sent when there
 * is nothing else to send. Not thread-safe.
 */
final class SendSide {
  /** The most packets sent at once; segmentation offload takes 64 packets, and 64 KB. */
  static final int MOST_PACKETS = 44;

  private static final int MOST_BYTES = 64_000;

  /** The interval of batches in microseconds, which limits the cost of timers. */
  private static final double BATCH_MICROS = 1000;

  /** The delay from which on a timer counts as late. */
  static final long LATE_MICROS = 2000;

  private static final long LEAST_TIMEOUT_MICROS = 100_000;
  private static final long MOST_TIMEOUT_MICROS = 2_000_000;

  /** The longest plausible round trip reported by a peer. */
  private static final int MOST_ROUND_TRIP_MICROS = 10_000_000;

  /** The most packets sent as probes on a path on which nothing arrives. */
  private static final int PROBES = 16;

  private final Terms terms;
  private final RateControl rate;
  private final SendWindow window;
  private final RangeSet lost = new RangeSet();
  private final Progress progress = new Progress();
  private final int payload;
  private long first;
  private long next;
  private long peerLimit = UdtConnection.FIRST_WINDOW;
  private double nextMicros;
  private long dueMicros = Long.MAX_VALUE;
  private long progressMicros;
  private int timeouts;
  private int probes;
  private long repeated;
  private long variance = 50_000;
  private boolean measured;

  SendSide(
      ByteBufAllocator allocator,
      WindowMemory shared,
      Terms terms,
      Protection protection,
      UdtSettings settings,
      long startMicros) {
    this.terms = terms;
    this.rate = new RateControl(terms.roundTripMicros());
    this.payload = terms.payload();
    this.window =
        new SendWindow(allocator, shared, terms, protection, settings.window(), startMicros);
    if (terms.roundTripMicros() > 0) {
      progress.roundTripMicros = terms.roundTripMicros();
      progress.lastRoundTripMicros = terms.roundTripMicros();
      variance = terms.roundTripMicros() / 2;
    }
  }

  /** Takes as many bytes as there is room for, from the reader index on. */
  void write(ByteBuf data) {
    window.write(data, first, next);
  }

  /** Whether there is room again for an application that was refused; true only once. */
  boolean hasRoomAgain() {
    return window.hasRoomAgain(first, next);
  }

  /** Whether all written bytes have arrived. */
  boolean isEmpty() {
    return first == window.ready() && window.filling() == 0;
  }

  long firstUnacknowledged() {
    return first;
  }

  boolean hasUnacknowledged() {
    return first < next;
  }

  /** Sends due packets. */
  void transmit(long now, Datagrams out) {
    progress.lateMicros = Math.max(progress.lateMicros, now - dueMicros);
    nextMicros = Math.max(nextMicros, now - rate.catchUpMicros());
    while (nextMicros <= now) {
      int most = (int) Math.min(MOST_PACKETS, Math.max(2, BATCH_MICROS / rate.periodMicros()));
      int sent = sendBatch(now, Math.min(most, MOST_BYTES / terms.packetLength()), out);
      if (sent == 0) {
        break;
      }
      nextMicros += sent * rate.periodMicros();
    }
    dueMicros = nextSendMicros();
  }

  private int sendBatch(long now, int due, Datagrams out) {
    int most = timeouts > 1 ? Math.min(due, probes) : due;
    if (most <= 0 || inFlight() >= rate.window()) {
      return 0;
    }
    if (!lost.isEmpty()) {
      long from = lost.start(0);
      long until = Math.min(lost.end(0), from + most);
      int count = sendRun(now, from, until, out);
      lost.remove(0, from + count);
      repeated += count;
      return count;
    }
    if (next == window.ready() && window.filling() > 0 && next < peerLimit) {
      window.seal();
    }
    long room = Math.max(0, rate.window() - inFlight());
    long until = Math.min(Math.min(window.ready(), peerLimit), next + Math.min(most, room));
    if (next >= until) {
      progress.idle |= next == window.ready();
      return 0;
    }
    if (!hasUnacknowledged()) {
      progressMicros = now;
    }
    int count = sendRun(now, next, until, out);
    next += count;
    return count;
  }

  private int sendRun(long now, long from, long until, Datagrams out) {
    int count = window.send(now, from, until, out);
    probes -= count;
    return count;
  }

  private long inFlight() {
    long arrived = Math.max(progress.delivered, first);
    return Math.max(0, next - arrived - lost.covered());
  }

  /**
   * Records that all packets below this one have arrived.
   *
   * @return false for a packet that was never sent
   */
  boolean acknowledge(long now, long index) {
    if (index > next) {
      return false;
    }
    if (index > first) {
      first = index;
      lost.remove(0, index);
      window.releaseBelow(index);
      progressMicros = now;
      timeouts = 0;
      probes = 0;
    }
    return true;
  }

  /** Sets the peer's window, counted from the acknowledged packet. */
  void window(long acknowledged, long packets) {
    peerLimit = Math.max(peerLimit, acknowledged + Math.max(0, packets));
  }

  /** Sets the round-trip time measured by the peer. */
  void roundTrip(long smoothedMicros, long lastMicros) {
    long sample = Math.min(MOST_ROUND_TRIP_MICROS, Math.max(1, smoothedMicros));
    if (measured) {
      variance = (3 * variance + Math.abs(sample - progress.roundTripMicros)) / 4;
      progress.roundTripMicros = (7 * progress.roundTripMicros + sample) / 8;
    } else {
      measured = true;
      variance = sample / 2;
      progress.roundTripMicros = sample;
    }
    progress.lastRoundTripMicros = Math.min(MOST_ROUND_TRIP_MICROS, Math.max(1, lastMicros));
  }

  /**
   * Handles the end of an acknowledgement.
   *
   * @param peer counts and clock of the peer
   */
  void learned(long now, PeerClock peer) {
    progress.nowMicros = now;
    progress.sent = next;
    progress.delivered = Math.max(progress.delivered, Math.min(peer.received(), next));
    long late = peer.micros() - progress.deliveredMicros - UdtConnection.SYN_MICROS;
    progress.peerLateMicros = Math.max(0, late);
    progress.deliveredMicros = peer.micros();
    progress.arrived = Math.min(peer.receivedThen(), progress.delivered);
    progress.arrivedMicros = peer.thenMicros();
    progress.inFlight = inFlight();
    rate.acknowledged(progress);
    progress.idle = false;
    progress.lateMicros = 0;
  }

  /** Handles a range of packets missing at the peer. */
  void missing(long now, long from, long until) {
    long start = Math.max(first, from);
    long end = Math.min(next, until);
    // Packets of the last round trip cannot be missing yet: the report is an older one.
    long young = now - progress.lastRoundTripMicros * 3 / 4;
    long before = lost.covered();
    for (long at = start; at < end; at++) {
      long runEnd = at;
      while (runEnd < end && window.sent(runEnd) <= young) {
        runEnd++;
      }
      lost.add(at, runEnd);
      at = runEnd;
    }
    progress.nowMicros = now;
    progress.sent = next;
    long more = lost.covered() - before;
    progress.lost += more;
    if (more > 0) {
      rate.lost(start, more);
    }
  }

  /** The time of the next timeout; {@link Long#MAX_VALUE} for never. */
  long timeoutMicros() {
    if (!hasUnacknowledged()) {
      return Long.MAX_VALUE;
    }
    long base = progress.roundTripMicros + 4 * variance + 2 * UdtConnection.SYN_MICROS;
    long timeout = Math.max(LEAST_TIMEOUT_MICROS, base) << Math.min(timeouts, 5);
    return progressMicros + Math.min(Math.max(MOST_TIMEOUT_MICROS, base), timeout);
  }

  /**
   * Handles a timeout. First the lowest and the last packet are sent again, and the peer reports
   * what else is missing. After that all packets count as lost.
   */
  void timedOut(long now) {
    timeouts++;
    progressMicros = now;
    progress.nowMicros = now;
    progress.sent = next;
    long before = lost.covered();
    if (timeouts == 1) {
      lost.add(first, first + 1);
      lost.add(next - 1, next);
    } else {
      lost.add(first, next);
      probes = PROBES;
      rate.timedOut();
    }
    progress.lost += lost.covered() - before;
    nextMicros = Math.min(nextMicros, now);
  }

  /** The number of consecutive timeouts. */
  int timeouts() {
    return timeouts;
  }

  /**
   * The time at which more may be sent; {@link Long#MAX_VALUE} while an acknowledgement is
   * required.
   */
  long nextSendMicros() {
    boolean waits =
        !lost.isEmpty() || (next < peerLimit && (next < window.ready() || window.filling() > 0));
    if (!waits || inFlight() >= rate.window() || (timeouts > 1 && probes <= 0)) {
      return Long.MAX_VALUE;
    }
    return (long) Math.ceil(nextMicros);
  }

  long roundTripMicros() {
    return progress.roundTripMicros;
  }

  long lastRoundTripMicros() {
    return progress.lastRoundTripMicros;
  }

  /** Packets sent, including retransmissions. */
  long packets() {
    return next + repeated;
  }

  /** Payload of the distinct packets that have arrived, counting all as full. */
  long deliveredBytes() {
    return Math.max(progress.delivered, first) * payload;
  }

  /** The sent and waiting packets. */
  UdtOutput output() {
    long allowed = Math.min(rate.window(), Math.max(0, peerLimit - first)) * payload;
    return new UdtOutput(packets(), repeated, allowed, window.bytesFrom(next));
  }

  String state() {
    return rate.state();
  }

  @Override
  public String toString() {
    return "acknowledged=%d sent=%d ready=%d limit=%d flying=%d window=%d lost=%d repeated=%d rtt=%d period=%.2f %s"
        .formatted(
            first,
            next,
            window.ready(),
            peerLimit,
            inFlight(),
            rate.window(),
            lost.covered(),
            repeated,
            progress.roundTripMicros,
            rate.periodMicros(),
            rate.state());
  }

  void close() {
    window.close();
  }
}
