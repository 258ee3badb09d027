package io.fdt.udt.transport;

import io.fdt.core.transport.PathState;
import io.fdt.udt.protocol.UdtConnection;
import io.fdt.udt.protocol.UdtOutput;

/** The published state of a connection: written on its event loop, read on any thread. */
final class PathNotes {
  private static final long PERIOD_MICROS = 50_000;

  private volatile PathState state = new PathState(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  private volatile String rate = "";
  private long noteMicros;
  private long leastRoundTrip = Long.MAX_VALUE;

  /** Updates the state, unless it is recent. */
  void take(long now, UdtConnection connection) {
    if (now - noteMicros >= PERIOD_MICROS) {
      noteMicros = now;
      takeLast(connection);
    }
  }

  /** Updates the state for the last time. */
  void takeLast(UdtConnection connection) {
    long roundTrip = connection.roundTripMicros();
    leastRoundTrip = Math.min(leastRoundTrip, roundTrip);
    UdtOutput output = connection.output();
    state =
        new PathState(
            roundTrip,
            leastRoundTrip,
            output.packets(),
            output.repeated(),
            0,
            0,
            0,
            0,
            output.windowBytes(),
            output.queuedBytes(),
            connection.arrivedBytes());
    rate = "udt-" + connection.rateState();
  }

  PathState state() {
    return state;
  }

  String rate() {
    return rate;
  }
}
