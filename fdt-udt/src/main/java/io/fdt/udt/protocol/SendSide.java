package io.fdt.udt.protocol;

import io.fdt.core.model.RangeSet;
import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.Protection;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The sending half of a connection: what was written and has not arrived everywhere.
 *
 * <pre>
 *   first            next              ready     ready + 1
 *     | sent, some lost | never sent, full |  filling  |   free
 * </pre>
 *
 * <p>The packets themselves are in {@link SendWindow}. A packet that is not full leaves when
 * nothing else can. Not thread-safe.
 */
final class SendSide {
  /** Segmentation offload takes 64 packets, and 64 KB. */
  static final int MOST_PACKETS = 44;

  private static final int MOST_BYTES = 64_000;

  /** Packets that leave together at most every so often, so that timers cost little. */
  private static final double BATCH_MICROS = 1000;

  /** A timer that is later than this is late. */
  static final long LATE_MICROS = 2000;

  private static final long LEAST_TIMEOUT_MICROS = 100_000;
  private static final long MOST_TIMEOUT_MICROS = 2_000_000;

  /** A peer that claims more is not believed. */
  private static final int MOST_ROUND_TRIP_MICROS = 10_000_000;

  /** Packets for a path on which nothing arrives. */
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

  /** Takes what there is room for, from its reader index on. */
  void write(ByteBuf data) {
    window.write(data, first, next);
  }

  /** Whether an application that was refused room has it now; says so once. */
  boolean hasRoomAgain() {
    return window.hasRoomAgain(first, next);
  }

  /** Whether all that was written has arrived. */
  boolean isEmpty() {
    return first == window.ready() && window.filling() == 0;
  }

  long firstUnacknowledged() {
    return first;
  }

  boolean hasUnacknowledged() {
    return first < next;
  }

  /** Sends what is due. */
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
   * All packets below this one have arrived.
   *
   * @return false when it was never sent
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

  /** The peer can keep this many packets from the one that it acknowledges on. */
  void window(long acknowledged, long packets) {
    peerLimit = Math.max(peerLimit, acknowledged + Math.max(0, packets));
  }

  /** The round trip time, as the peer has measured it. */
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
   * An acknowledgement was read whole.
   *
   * @param peer what has arrived, by its clock
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

  /** The peer misses packets from this one up to, and without, that one. */
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

  /** When to look at what has not arrived; {@link Long#MAX_VALUE} for never. */
  long timeoutMicros() {
    if (!hasUnacknowledged()) {
      return Long.MAX_VALUE;
    }
    long base = progress.roundTripMicros + 4 * variance + 2 * UdtConnection.SYN_MICROS;
    long timeout = Math.max(LEAST_TIMEOUT_MICROS, base) << Math.min(timeouts, 5);
    return progressMicros + Math.min(Math.max(MOST_TIMEOUT_MICROS, base), timeout);
  }

  /**
   * Nothing has arrived in time. First the least and the last packet are sent again: the peer says
   * what else it misses. After that all count as lost.
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

  /** Looks in a row at which nothing had arrived. */
  int timeouts() {
    return timeouts;
  }

  /** When more may be sent; {@link Long#MAX_VALUE} when an acknowledgement has to come first. */
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

  /** Packets that were sent, each as often as it was. */
  long packets() {
    return next + repeated;
  }

  /** Payload of the different packets that have arrived, as if all of them were full. */
  long deliveredBytes() {
    return Math.max(progress.delivered, first) * payload;
  }

  /** The packets that were sent and are to be sent. */
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
