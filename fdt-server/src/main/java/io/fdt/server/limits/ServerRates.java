package io.fdt.server.limits;

import io.fdt.core.model.Grant;
import io.fdt.core.security.AddressRange;
import io.fdt.core.tuning.rate.SharedRate;
import io.fdt.core.unit.RateSchedule;
import java.net.InetAddress;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Divides the rate of a server among its sessions, five times a second. A client is a token, or an
 * address without a token.
 *
 * <p>Thread-safe; has its own thread if there is a limit.
 */
public final class ServerRates implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerRates.class);

  private final RateSchedule total;
  private final RateSchedule perClient;
  private final SharedRate shares = new SharedRate();
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "fdt-server-rates");
            thread.setDaemon(true);
            return thread;
          });

  public ServerRates(RateSchedule total, RateSchedule perClient) {
    this.total = total;
    this.perClient = perClient;
  }

  public void start() {
    if (!total.isNone() || !perClient.isNone()) {
      executor.scheduleAtFixedRate(
          this::divide, SharedRate.INTERVAL_NANOS, SharedRate.INTERVAL_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  /** The share of a new session, effective at once. */
  public SharedRate.Member admit(Grant grant, InetAddress address) {
    SharedRate.Member member =
        shares.add(
            Owner.isAnonymous(grant) ? AddressRange.siteOf(address) : "token " + grant.name());
    divide();
    return member;
  }

  public void leave(SharedRate.Member member) {
    shares.remove(member);
  }

  private void divide() {
    try {
      LocalDateTime now = LocalDateTime.now(ZoneId.systemDefault());
      shares.divide(total.bytesPerSecondAt(now), perClient.bytesPerSecondAt(now));
    } catch (RuntimeException | Error e) { // or it would be the last time
      LOG.error("defect while rates are divided", e);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
