package io.fdt.client.directed;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.Dialer;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.AbortCoding;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.PeerAddress;
import io.fdt.core.wire.control.Ping;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A control connection to one of two servers between which a client directs a session. Messages are
 * queued until taken; a full queue stops reading.
 *
 * <p>{@link #send} and {@link #close}: any thread; the rest is for one thread.
 */
public final class Director implements ControlConnection.Handler {
  /** Size of the queue. */
  private static final int MOST_WAITING = 64;

  private static final int PINGS_PER_TIMEOUT = 4;

  private final DirectedEnd end;
  private final Dialer dialer;
  private final LinkedBlockingQueue<Control> messages = new LinkedBlockingQueue<>();
  private Dialer.Dialed dialed;
  private long pingedNanos;
  private volatile FdtException failure;

  private Director(DirectedEnd end) {
    this.end = end;
    this.dialer = end.dialer();
    this.pingedNanos = dialer.node().threads().nanoTime();
  }

  /** Connects to a server and sends the hello. Blocks. */
  public static Director open(DirectedEnd end) throws FdtException {
    Director director = new Director(end);
    try {
      director.dialed =
          director.dialer.dial(
              director.dialer.node().loops().next(),
              (server, roundTrip) -> {},
              connection -> director);
    } catch (FdtException e) {
      throw director.named(e);
    }
    return director;
  }

  /** The server's address and proven key, for another server. */
  PeerAddress address() {
    return PeerAddress.newBuilder()
        .setHost(end.host())
        .setPort(end.port())
        .setKey(ByteString.copyFrom(dialed.key().digest()))
        .build();
  }

  /** The server's address, for messages. */
  String name() {
    return dialer.host() + ":" + dialer.port();
  }

  void send(Control.Builder message) {
    dialed.control().send(message.build());
  }

  public void close() {
    dialed.control().close();
  }

  /**
   * The next message. Blocks; exchanges pings with the server meanwhile.
   *
   * @throws FdtException the connection is closed, or the server is silent
   */
  Control next() throws FdtException, InterruptedException {
    long period = dialer.idleTimeout().toNanos() / PINGS_PER_TIMEOUT;
    for (int silent = 0; silent < PINGS_PER_TIMEOUT; silent++) {
      pingEach(period);
      Control message = dialer.node().threads().poll(messages, period);
      if (message != null) {
        dialed.control().setReading(messages.size() < MOST_WAITING);
        if (message.getBodyCase() == Control.BodyCase.BODY_NOT_SET) {
          throw failure;
        }
        return message;
      }
    }
    throw new FdtException(
        ErrorCode.TIMEOUT,
        "%s has sent nothing for %d s".formatted(name(), dialer.idleTimeout().toSeconds()));
  }

  private void pingEach(long periodNanos) {
    long now = dialer.node().threads().nanoTime();
    if (now - pingedNanos >= periodNanos) {
      pingedNanos = now;
      send(Control.newBuilder().setPing(Ping.getDefaultInstance()));
    }
  }

  @Override
  public void message(Control message) {
    switch (message.getBodyCase()) {
      case WELCOME, PONG, PING -> {}
      case ABORT -> fail(named(AbortCoding.decode(message.getAbort())));
      default -> {
        messages.add(message);
        if (messages.size() >= MOST_WAITING) {
          dialed.control().setReading(false);
        }
      }
    }
  }

  @Override
  public void closed(FdtException cause) {
    fail(cause);
  }

  /** A copy of a failure that names this server. */
  private FdtException named(FdtException cause) {
    String message = cause.getMessage();
    return message.contains(name())
        ? cause
        : new FdtException(cause.code(), name() + ": " + message, cause);
  }

  private void fail(FdtException cause) {
    if (failure == null) {
      failure = cause;
      messages.add(Control.getDefaultInstance()); // wakes the waiting thread
    }
  }
}
