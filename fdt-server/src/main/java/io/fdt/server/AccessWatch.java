package io.fdt.server;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.TokenBook;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a running server follow its tokens: reads them again twice a second, and ends the sessions of
 * those that were revoked or have expired. A thread of its own, because files are read.
 */
final class AccessWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccessWatch.class);

  /** The file is a few kilobytes: reading it is cheaper than telling whether it has changed. */
  private static final long PERIOD_MILLIS = 500;

  private final TokenBook tokens;
  private final ServerSessions sessions;
  private final Relay relay;
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "fdt-server-access");
            thread.setDaemon(true);
            return thread;
          });
  private String lastFailure = "";

  AccessWatch(TokenBook tokens, ServerSessions sessions, Relay relay) {
    this.relay = relay;
    this.tokens = tokens;
    this.sessions = sessions;
  }

  void start() {
    executor.scheduleWithFixedDelay(
        this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    try {
      reload();
    } catch (RuntimeException | Error e) { // or it would be the last look
      LOG.error("defect while tokens are read", e);
    }
  }

  private void reload() {
    String failure = "";
    try {
      tokens.reload();
    } catch (FdtException e) {
      failure = e.getMessage();
    }
    if (!failure.equals(lastFailure)) {
      if (failure.isEmpty()) {
        LOG.info("tokens can be read again");
      } else {
        LOG.warn(
            "tokens cannot be read, no new client is let in reason={} holders={}",
            failure,
            sessions.descriptors().holders());
      }
    }
    lastFailure = failure;
    sessions.endRevoked(tokens);
    relay.endRevoked(tokens);
  }

  @Override
  public void close() {
    executor.shutdownNow();
    tokens.close();
  }
}
