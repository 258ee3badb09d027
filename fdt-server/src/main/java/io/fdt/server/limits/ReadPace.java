package io.fdt.server.limits;

import io.fdt.core.model.Grant;
import io.fdt.core.tuning.rate.Pacer;
import io.fdt.core.tuning.rate.SharedRate;
import java.net.InetAddress;

/**
 * Limits the rate at which requests of one client read files to that of a transfer of the client.
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

  /** Begins the reads of a request. The caller closes the result. */
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

    /** Reserves bytes to send, and returns the nanoseconds until they may be sent; 0 for now. */
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
