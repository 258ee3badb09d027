package io.fdt.server.connection;

import io.fdt.core.engine.FileDigests;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.filter.FileAccess;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Pong;
import io.fdt.core.wire.control.Request;
import io.fdt.server.access.AccessEntries;
import io.fdt.server.limits.ReadPace;
import io.fdt.server.limits.RefusalCounts;
import io.fdt.server.session.Client;
import io.fdt.server.session.MessageHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The requests of one connection, one at a time. Confined to the event loop of the connection; the
 * work runs on request threads.
 */
public final class RequestDispatcher implements MessageHandler {
  /**
   * Resources of requests.
   *
   * @param roots the files of the client
   * @param threads may block on disks and on the client
   * @param patience the longest silence of the client
   */
  public record Host(
      ExportedStorage roots,
      Executor threads,
      FileDigests digests,
      ReadPace readPace,
      Duration patience,
      RequestAnswer.StillAllowed stillAllowed,
      RelayRequests relay,
      RefusalCounts refusals,
      Optional<Consumer<FileAccess>> accessLog) {}

  private final ControlConnection connection;
  private final SessionLoop loop;
  private final Host host;
  private final RequestLog log;
  private RequestAnswer current;
  private long lastId;

  public RequestDispatcher(Client client, Host host) {
    this.connection = client.connection();
    this.loop = client.loop();
    this.host = host;
    AccessEntries entries =
        new AccessEntries(
            connection.peer(), client.grant().label(), host.roots(), host.accessLog());
    this.log = new RequestLog(client, entries, host.refusals());
  }

  /** Whether a request is being served. */
  boolean isBusy() {
    return current != null;
  }

  @Override
  public void message(Control message) throws FdtException {
    if (current != null) {
      current.heard();
    }
    switch (message.getBodyCase()) {
      case REQUEST -> begin(message.getRequest());
      case TAKEN -> {
        // An acknowledgement of an earlier request may arrive after its end.
        if (current != null && current.id() == message.getTaken().getId()) {
          current.taken(message.getTaken().getReplies());
        }
      }
      case PING ->
          connection.send(
              Control.newBuilder()
                  .setPong(Pong.newBuilder().setNonce(message.getPing().getNonce()))
                  .build());
      default -> throw MessageHandler.unexpected(message);
    }
  }

  private void begin(Request request) throws FdtException {
    if (current != null) {
      throw new FdtException(ErrorCode.PROTOCOL, "a request before the last one was answered");
    }
    if (Long.compareUnsigned(request.getId(), lastId) <= 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "request ids do not count up");
    }
    lastId = request.getId();
    RequestAnswer answer =
        new RequestAnswer(
            connection,
            request.getId(),
            host.patience(),
            host.stillAllowed(),
            () -> loop.post(() -> current = null));
    RequestWork work =
        new RequestWork(host.roots(), host.digests(), host.relay(), host.readPace(), log, answer);
    current = answer;
    host.threads().execute(() -> work.run(request));
  }

  /** Ends the work for a client that has gone. */
  void close() {
    if (current != null) {
      current.cancel();
    }
  }
}
