package io.fdt.server.thirdparty;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.RunDetached;
import io.fdt.server.session.MessageHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client that follows and controls a session between this server and another one. Confined to the
 * event loop of its connection, except {@link #send}, which any thread may call.
 */
public final class Director implements MessageHandler, DirectedRuns.Follower {
  private static final Logger LOG = LoggerFactory.getLogger(Director.class);

  private final ControlConnection connection;
  private DirectedRuns.Live run;

  public Director(ControlConnection connection) {
    this.connection = connection;
  }

  /** Sets the session to follow. */
  public void follows(DirectedRuns.Live followed) {
    run = followed;
  }

  @Override
  public void message(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case CANCEL_RUN ->
          run.abort(new FdtException(ErrorCode.CANCELLED, "cancelled by the client"));
      case RATE_LIMIT -> run.limit(message.getRateLimit().getBytesPerSecond());
      case DETACH_RUN -> {
        run.detach();
        connection.send(
            Control.newBuilder().setRunDetached(RunDetached.getDefaultInstance()).build());
        LOG.info("session detached session={} peer={}", run.id().shortName(), connection.peer());
      }
      case ABORT -> connection.close();
      case PING, PONG -> {}
      default -> throw MessageHandler.unexpected(message);
    }
  }

  public void abort(FdtException cause) {
    run.abort(cause);
  }

  @Override
  public void send(Control message) {
    connection.send(message);
  }

  @Override
  public void close() {
    connection.close();
  }

  /** Handles the loss of the client's connection. */
  public void left() {
    run.left(this);
  }
}
