package io.fdt.core.node;

import io.fdt.core.engine.HostThreads;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.unit.Backoff;
import io.fdt.core.wire.control.Control;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Tries to reach the server again after the control connection was lost, with growing pauses, until
 * an attempt succeeds or the session has ended.
 *
 * <p>Confined to the event loop of the session, except for dialing, which blocks and has a thread
 * of its own.
 */
final class Resumption {

  private final Dialer dialer;
  private final EventLoop eventLoop;
  private final SessionLoop loop;
  private final Function<ControlConnection, ControlConnection.Handler> handlers;
  private final Supplier<Control> request;
  private final Consumer<FdtException> refused;
  private ControlConnection attempt;
  private Dialer.Dialed dialed;
  private final Backoff pauses = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
  private HostThreads.Started dialling;
  private boolean wanted;
  private int round;

  /**
   * @param request makes the request to resume; a new one for each attempt
   * @param refused called when credentials are rejected on the way, by a relay for example
   */
  Resumption(
      Dialer dialer,
      EventLoop eventLoop,
      SessionLoop loop,
      Function<ControlConnection, ControlConnection.Handler> handlers,
      Supplier<Control> request,
      Consumer<FdtException> refused) {
    this.dialer = dialer;
    this.eventLoop = eventLoop;
    this.loop = loop;
    this.handlers = handlers;
    this.request = request;
    this.refused = refused;
  }

  void start() {
    wanted = true;
    pauses.reset();
    again();
  }

  void stop() {
    wanted = false;
    round++;
    if (dialling != null) {
      dialling.interrupt();
    }
    if (attempt != null) {
      attempt.close();
      attempt = null;
    }
  }

  /**
   * The server has answered; the session takes over the connection.
   *
   * @return the connection, possibly to another address of the server
   */
  Dialer.Dialed succeeded() {
    wanted = false;
    round++;
    attempt = null;
    return dialed;
  }

  /** Whether this connection is the unanswered attempt. */
  @SuppressWarnings("ReferenceEquality") // connections have identity only
  boolean isUnder(ControlConnection connection) {
    return attempt != null && attempt == connection;
  }

  /** A connection was closed; if it was the attempt, the next one follows. */
  void failed(ControlConnection connection, FdtException cause) {
    if (isUnder(connection)) {
      attempt = null;
      again();
    }
  }

  /** The server rejects the session for now. */
  void refused(ControlConnection connection) {
    attempt = null;
    connection.close();
    again();
  }

  private void again() {
    if (!wanted) {
      return;
    }
    int current = ++round;
    loop.after(pauses.nextNanos(dialer.node().threads()::random), () -> dialOnThread(current));
  }

  private void dialOnThread(int current) {
    if (!wanted || current != round) {
      return;
    }
    dialling = dialer.node().threads().start("fdt-resume", () -> dial(current));
  }

  /** Dials the server. Blocks: on its own thread. */
  private void dial(int current) {
    try {
      Dialer.Dialed answered = dialer.dial(eventLoop, (server, roundTrip) -> {}, handlers);
      loop.run(() -> dialed(answered, current));
    } catch (FdtException e) {
      loop.run(
          () -> {
            if (current == round) {
              failed(e);
            }
          });
    } catch (RuntimeException | Error e) {
      loop.fail("connecting failed", e);
    }
  }

  /** Handles a failed attempt; after rejected credentials, later attempts cannot succeed. */
  private void failed(FdtException cause) {
    if (cause.code() == ErrorCode.UNAUTHENTICATED || cause.code() == ErrorCode.FORBIDDEN) {
      refused.accept(cause);
    } else {
      again();
    }
  }

  private void dialed(Dialer.Dialed answered, int current) {
    ControlConnection connection = answered.control();
    if (!wanted || current != round) {
      connection.close();
      return;
    }
    attempt = connection;
    dialed = answered;
    connection.send(request.get());
    loop.after(
        dialer.connectTimeout().toNanos(),
        () -> {
          if (isUnder(connection)) {
            attempt = null;
            connection.close();
            again();
          }
        });
  }
}
