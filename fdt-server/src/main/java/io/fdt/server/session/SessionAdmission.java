package io.fdt.server.session;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Grant;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Ping;
import io.fdt.server.connection.ConnectionHost;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way from a request to its session: waits until another session has freed what it needs, then
 * asks the server's filters. Confined to the event loop of the connection.
 */
public final class SessionAdmission {
  /** Whose request it is. */
  public interface Client {
    /** Whether the request still waits. */
    boolean waits();

    /**
     * Begins the session.
     *
     * @throws FdtException the server has no room for it, or cannot open its files
     */
    void open(SessionFilters agreed) throws FdtException;

    /** Ends the connection. */
    void refuse(FdtException cause);
  }

  private static final Logger LOG = LoggerFactory.getLogger(SessionAdmission.class);

  /** How long the next attempt of a request waits for what the last one holds. */
  private static final long REPLACE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ControlConnection connection;
  private final SessionLoop loop;
  private final ConnectionHost host;
  private final SessionTrees trees;
  private final Grant grant;
  private final Client client;

  public SessionAdmission(
      ControlConnection connection,
      SessionLoop loop,
      ConnectionHost host,
      SessionTrees trees,
      Grant grant,
      Client client) {
    this.connection = connection;
    this.loop = loop;
    this.host = host;
    this.trees = trees;
    this.grant = grant;
    this.client = client;
  }

  /** Opens it as soon as that is possible; refuses it after some seconds. */
  public void start(SessionRequest wanted) {
    openWhenFree(wanted, loop.nanoTime() + REPLACE_NANOS);
  }

  private void openWhenFree(SessionRequest wanted, long deadlineNanos) {
    if (!client.waits()) {
      return;
    }
    try {
      Optional<RunningSession> other = host.sessions().inTheWayOf(wanted, grant);
      if (other.isEmpty()) {
        if (SessionFilters.concern(host.filters(), wanted)) {
          trees.check(wanted);
          host.requests().execute(() -> filter(wanted));
          signalWhileWaiting();
        } else {
          client.open(SessionFilters.none(wanted));
        }
      } else if (loop.nanoTime() < deadlineNanos) {
        loop.after(RETRY_NANOS, () -> openWhenFree(wanted, deadlineNanos));
      } else {
        throw new FdtException(
            ErrorCode.IN_USE,
            "the same transfer is running already (session %s): wait for it, or end it first"
                .formatted(other.get().id().shortName()));
      }
    } catch (FdtException e) {
      client.refuse(e);
    }
  }

  /** Both ends would take the silence while a filter works for the end. */
  private void signalWhileWaiting() {
    if (client.waits()) {
      connection.send(Control.newBuilder().setPing(Ping.getDefaultInstance()).build());
      loop.after(host.deadlines().idleTimeout().toNanos() / 4, this::signalWhileWaiting);
    }
  }

  /** Asks the server's filters, on a thread that may block. */
  private void filter(SessionRequest wanted) {
    try {
      SessionFilters agreed =
          SessionFilters.before(host.filters(), wanted, connection.peer(), host.onThisMachine());
      loop.post(() -> openFiltered(agreed));
    } catch (FdtException e) {
      loop.post(() -> client.refuse(e));
    } catch (RuntimeException | Error e) {
      LOG.error("defect peer={}", connection.peer(), e);
      FdtException cause = FdtException.unforeseen("the server failed", e);
      loop.post(() -> client.refuse(cause));
    }
  }

  private void openFiltered(SessionFilters agreed) {
    if (!client.waits()) {
      agreed.drop();
      return;
    }
    try {
      client.open(agreed);
    } catch (FdtException e) {
      agreed.drop();
      client.refuse(e);
    } catch (RuntimeException | Error e) {
      agreed.drop();
      throw e;
    }
  }
}
