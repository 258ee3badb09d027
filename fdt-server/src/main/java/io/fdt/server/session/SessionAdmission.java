package io.fdt.server.session;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.Ping;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits requests for sessions: waits until another session has released what they need, then runs
 * the server's filters. Confined to the event loop of the connection.
 */
public final class SessionAdmission {
  /** The connection of a request. */
  public interface Waiter {
    /** Whether the request still waits. */
    boolean waits();

    /**
     * Begins the session.
     *
     * @throws FdtException the server is at a limit, or cannot open its files
     */
    void open(SessionFilters agreed) throws FdtException;

    /** Ends the connection. */
    void refuse(FdtException cause);
  }

  private static final Logger LOG = LoggerFactory.getLogger(SessionAdmission.class);

  /** The longest wait of a repeated request for the resources of the previous one. */
  private static final long REPLACE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Client client;
  private final ServerSessions sessions;
  private final SessionRules rules;
  private final SessionFilters.Setup filters;
  private final long signalNanos;

  /**
   * @param idleTimeout of the connection, which pings keep open
   */
  public SessionAdmission(
      Client client,
      ServerSessions sessions,
      SessionRules rules,
      SessionFilters.Setup filters,
      Duration idleTimeout) {
    this.client = client;
    this.sessions = sessions;
    this.rules = rules;
    this.filters = filters;
    this.signalNanos = idleTimeout.toNanos() / 4;
  }

  /**
   * Opens a session as soon as that is possible, or refuses it after some seconds.
   *
   * @throws FdtException the server does not accept such a session
   */
  public void start(OpenSession open, Waiter waiter) throws FdtException {
    new Request(rules.check(open), waiter, client.loop().nanoTime() + REPLACE_NANOS).openWhenFree();
  }

  private final class Request {
    private final SessionRequest wanted;
    private final Waiter waiter;
    private final long deadlineNanos;

    Request(SessionRequest wanted, Waiter waiter, long deadlineNanos) {
      this.wanted = wanted;
      this.waiter = waiter;
      this.deadlineNanos = deadlineNanos;
    }

    private void openWhenFree() {
      if (!waiter.waits()) {
        return;
      }
      try {
        Optional<RunningSession> other = sessions.inTheWayOf(wanted, client.grant());
        if (other.isEmpty()) {
          if (filters.concern(wanted)) {
            client.trees().check(wanted);
            filters.before().execute(this::filter);
            signalWhileWaiting();
          } else {
            waiter.open(SessionFilters.none(wanted));
          }
        } else if (client.loop().nanoTime() < deadlineNanos) {
          client.loop().after(RETRY_NANOS, this::openWhenFree);
        } else {
          throw new FdtException(
              ErrorCode.IN_USE,
              "the same transfer is running already (session %s): wait for it, or end it first"
                  .formatted(other.get().id().shortName()));
        }
      } catch (FdtException e) {
        waiter.refuse(e);
      }
    }

    /** Sends pings while a filter runs: otherwise both ends would time out. */
    private void signalWhileWaiting() {
      if (waiter.waits()) {
        client.connection().send(Control.newBuilder().setPing(Ping.getDefaultInstance()).build());
        client.loop().after(signalNanos, this::signalWhileWaiting);
      }
    }

    /** Runs the server's filters, on a thread that may block. */
    private void filter() {
      try {
        SessionFilters agreed = SessionFilters.before(filters, wanted, client.connection().peer());
        client.loop().post(() -> openFiltered(agreed));
      } catch (FdtException e) {
        client.loop().post(() -> waiter.refuse(e));
      } catch (RuntimeException | Error e) {
        LOG.error("defect peer={}", client.connection().peer(), e);
        FdtException cause = FdtException.unforeseen("the server failed", e);
        client.loop().post(() -> waiter.refuse(cause));
      }
    }

    private void openFiltered(SessionFilters agreed) {
      if (!waiter.waits()) {
        agreed.drop();
        return;
      }
      try {
        waiter.open(agreed);
      } catch (FdtException e) {
        agreed.drop();
        waiter.refuse(e);
      } catch (RuntimeException | Error e) {
        agreed.drop();
        throw e;
      }
    }
  }
}
