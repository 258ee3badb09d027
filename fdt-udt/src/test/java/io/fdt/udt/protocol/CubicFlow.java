package io.fdt.udt.protocol;

import java.util.TreeMap;

/**
 * A sender of TCP as RFC 9438 has it, in packets: CUBIC with its friendly region, fast convergence
 * and selective acknowledgements. What is lost counts as sent again by the next packets. A packet
 * is lost when three later ones have arrived; a window is cut once for all losses of a round.
 */
final class CubicFlow {
  private static final double BETA = 0.7;
  private static final double SCALE = 0.4;
  private static final int REORDERED = 3;

  private final TreeMap<Long, Long> sentMicros = new TreeMap<>();
  private double window = 10;
  private double threshold = 1e9;
  private double most;
  private double friendly;
  private double curveSeconds;
  private double epochWindow;
  private long epochMicros = -1;
  private long next;
  private long recovery;
  private double roundTripMicros;
  private double leastRoundTrip = Double.MAX_VALUE;
  private long progressMicros;
  long delivered;

  boolean maySend() {
    return sentMicros.size() < (long) window;
  }

  /** The number of the packet that leaves now. */
  long send(long now) {
    if (sentMicros.isEmpty()) {
      progressMicros = now;
    }
    sentMicros.put(next, now);
    return next++;
  }

  /** When nothing that is under way has arrived for too long. */
  long timeoutMicros() {
    return sentMicros.isEmpty()
        ? Long.MAX_VALUE
        : progressMicros + (long) Math.max(200_000, 2 * roundTripMicros);
  }

  void timedOut(long now) {
    sentMicros.clear();
    reduce();
    window = 1;
    progressMicros = now;
  }

  /** The acknowledgement of a packet has come. */
  void acknowledged(long now, long number) {
    Long sent = sentMicros.remove(number);
    if (sent == null) {
      return;
    }
    delivered++;
    progressMicros = now;
    double sample = now - sent;
    roundTripMicros = roundTripMicros == 0 ? sample : roundTripMicros * 0.875 + sample * 0.125;
    leastRoundTrip = Math.min(leastRoundTrip, sample);
    while (!sentMicros.isEmpty() && sentMicros.firstKey() < number - REORDERED) {
      long lost = sentMicros.pollFirstEntry().getKey();
      if (lost >= recovery) {
        recovery = next;
        reduce();
      }
    }
    if (number >= recovery) {
      grow(now, sample);
    }
  }

  private void reduce() {
    most = window < most ? window * (1 + BETA) / 2 : window;
    window = Math.max(2, window * BETA);
    threshold = window;
    epochMicros = -1;
  }

  private void grow(long now, double sample) {
    if (window < threshold) {
      window++;
      if (sample > leastRoundTrip + Math.min(16_000, Math.max(4000, leastRoundTrip / 8))) {
        threshold = window; // HyStart: a queue has grown
      }
      return;
    }
    if (epochMicros < 0) {
      epochMicros = now;
      epochWindow = window;
      friendly = window;
      most = Math.max(most, window);
      curveSeconds = Math.cbrt((most - epochWindow) / SCALE);
    }
    double seconds = (now - epochMicros + roundTripMicros) / 1e6;
    double target = SCALE * Math.pow(seconds - curveSeconds, 3) + most;
    friendly += 3 * (1 - BETA) / (1 + BETA) / window;
    double wanted = Math.max(friendly, Math.min(target, 1.5 * window));
    if (wanted > window) {
      window += (wanted - window) / window;
    } else {
      window += 0.01 / window;
    }
  }
}
