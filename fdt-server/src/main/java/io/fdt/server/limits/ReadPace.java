package io.fdt.server.limits;

import io.fdt.core.model.Grant;
import io.fdt.core.tuning.rate.Pacer;
import io.fdt.core.tuning.rate.SharedRate;
import java.net.InetAddress;

/**
 * Limits how fast requests of one client read files: no faster than a transfer of that client.
 * Immutable.
 */
public final class ReadPace {
  private final ServerRates rates;
  private final Grant grant;
  private final InetAddress address;

  public ReadPace(ServerRates rates, Grant grant, InetAddress address) {
    this.rates = rates;
    this.grant = grant;
    this.address = address;
  }

  /** A request begins to read. The caller closes it. */
  public Turn begin() {
    return new Turn(rates, rates.admit(grant, address));
  }

  /** The share of one request. Confined to the thread of the request; time is an argument. */
  public static final class Turn implements AutoCloseable {
    private final ServerRates rates;
    private final SharedRate.Member share;
    private final Pacer pacer = new Pacer();
    private long bytes;

    private Turn(ServerRates rates, SharedRate.Member share) {
      this.rates = rates;
      this.share = share;
    }

    /** Nanoseconds until this many more bytes may leave, which then do; 0 for now. */
    public long nanosToWait(int more, long nowNanos) {
      pacer.setRate(share.bytesPerSecond(), nowNanos);
      long waitNanos = pacer.nanosToWait(nowNanos);
      pacer.sent(more, nowNanos + waitNanos);
      bytes += more;
      share.moved(nowNanos, bytes);
      return waitNanos;
    }

    @Override
    public void close() {
      rates.leave(share);
    }
  }
}
