package io.fdt.client.directed;

import com.google.protobuf.ByteString;
import io.fdt.client.RemoteSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.FiguresCoding;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.ListRuns;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decodes a server's descriptions of the sessions that it runs. Stateless. */
public final class RemoteSessions {
  /** Above the limit of servers. */
  private static final int MOST = 100_000;

  private RemoteSessions() {}

  /** Lists all of them. Blocks. */
  public static List<RemoteSession> list(DirectedEnd end)
      throws FdtException, InterruptedException {
    Director server = Director.open(end);
    try {
      server.send(Control.newBuilder().setListRuns(ListRuns.getDefaultInstance()));
      List<RemoteSession> all = new ArrayList<>();
      while (true) {
        Control message = server.next();
        if (!message.hasRunList()) {
          throw new FdtException(
              ErrorCode.PROTOCOL,
              "unexpected message " + message.getBodyCase() + ", expected a list of sessions");
        }
        RunList list = message.getRunList();
        for (RunDescription run : list.getRunsList()) {
          all.add(of(run));
        }
        if (list.getIsLast()) {
          return all;
        }
        if (all.size() > MOST) {
          throw new FdtException(ErrorCode.PROTOCOL, "more than " + MOST + " sessions in a list");
        }
      }
    } finally {
      server.close();
    }
  }

  /**
   * The description of a run for programs.
   *
   * @throws FdtException PROTOCOL for invalid values
   */
  public static RemoteSession of(RunDescription run) throws FdtException {
    return new RemoteSession(
        id(run).toString(),
        state(run),
        new RemoteSession.Request(
            MessageText.received(run.getOwner()),
            run.getSends(),
            MessageText.received(run.getPeerHost()) + ":" + (run.getPeerPort() & 0xffff),
            run.getSourcesList().stream().map(MessageText::receivedPath).toList(),
            Math.max(run.getSourcesCount(), run.getSourceCount()),
            MessageText.receivedPath(run.getDestination()),
            run.getDryRun(),
            MessageText.received(run.getCommand())),
        run.getDetached(),
        Math.max(0, run.getClients()),
        millis(run.getElapsedMillis()),
        state(run).compareTo(RemoteSession.State.DONE) >= 0
            ? Optional.of(millis(run.getEndedMillis()))
            : Optional.empty(),
        FiguresCoding.decode(run.getProgress()),
        Math.max(0, run.getBytesPerSecond()),
        run.getCode() == 0 ? Optional.empty() : Optional.of(ErrorCode.ofWireCode(run.getCode())),
        MessageText.received(run.getMessage()));
  }

  /** The id of a session. */
  static SessionId id(RunDescription run) throws FdtException {
    ByteString bytes = run.getId();
    try {
      return SessionId.of(bytes.toByteArray());
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "the server sent a bad id", e);
    }
  }

  private static RemoteSession.State state(RunDescription run) {
    return switch (run.getState()) {
      case RUN_STARTING -> RemoteSession.State.STARTING;
      case RUN_RECONNECTING -> RemoteSession.State.RECONNECTING;
      case RUN_WAITING -> RemoteSession.State.WAITING;
      case RUN_ENDED -> {
        if (run.getCode() != 0) {
          yield RemoteSession.State.FAILED;
        }
        yield run.getProgress().getFailures() == 0
            ? RemoteSession.State.DONE
            : RemoteSession.State.INCOMPLETE;
      }
      default -> RemoteSession.State.RUNNING;
    };
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(Math.max(0, millis));
  }
}
