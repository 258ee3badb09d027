package io.fdt.server.thirdparty;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.AttachRun;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.PeerAddress;
import io.fdt.core.wire.control.PeerProbed;
import io.fdt.core.wire.control.PrepareSession;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunList;
import io.fdt.core.wire.control.SessionPrepared;
import io.fdt.server.limits.Owner;
import io.fdt.server.limits.RefusalCounts;
import io.fdt.server.session.Client;
import io.fdt.server.session.MessageHandler;
import io.fdt.server.session.PreparedSessions;
import io.fdt.server.session.SessionRules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests of a client before it directs a transfer between this server and another
 * one. Confined to the event loop of the connection.
 */
public final class ThirdPartyRequests implements MessageHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ThirdPartyRequests.class);

  /** The most descriptions in one message, of at most 8 KB each. */
  private static final int RUNS_PER_MESSAGE = 100;

  private static final int MOST_MESSAGE = 300;

  private final Client client;
  private final ControlConnection connection;
  private final ThirdParty thirdParty;
  private final SessionRules rules;
  private final Executor requests;
  private final SessionDeadlines deadlines;
  private final RefusalCounts refusals;

  /**
   * @param requests threads that may block
   */
  public ThirdPartyRequests(
      Client client,
      ThirdParty thirdParty,
      SessionRules rules,
      Executor requests,
      SessionDeadlines deadlines,
      RefusalCounts refusals) {
    this.client = client;
    this.connection = client.connection();
    this.thirdParty = thirdParty;
    this.rules = rules;
    this.requests = requests;
    this.deadlines = deadlines;
    this.refusals = refusals;
  }

  /**
   * Checks that the client may direct transfers of this server.
   *
   * @throws FdtException FORBIDDEN
   */
  public void check() throws FdtException {
    thirdParty.check(client.grant());
  }

  @Override
  public void message(Control message) throws FdtException {
    switch (message.getBodyCase()) {
      case PREPARE_SESSION -> prepare(message.getPrepareSession());
      case PROBE_PEER -> requests.execute(() -> dial(message.getProbePeer().getPeer()));
      case LIST_RUNS -> list();
      default -> throw MessageHandler.unexpected(message);
    }
  }

  /**
   * Prepares a session that another server will open here: answers with its ticket.
   *
   * @throws FdtException FORBIDDEN, PROTOCOL or BUSY
   */
  private void prepare(PrepareSession request) throws FdtException {
    check();
    OpenSession open = request.getOpen();
    OpenSession complete =
        open.toBuilder()
            .setSessionId(ByteString.copyFrom(new byte[SessionId.LENGTH]))
            .setSessionSecret(ByteString.copyFrom(new byte[Join.SECRET_LENGTH]))
            .build();
    client.trees().check(rules.check(complete));
    byte[] ticket =
        thirdParty
            .prepared()
            .prepare(
                open,
                client.grant(),
                connection.peerAddress(),
                ThirdParty.key(request.getPeerKey().toByteArray()));
    connection.send(
        Control.newBuilder()
            .setSessionPrepared(
                SessionPrepared.newBuilder()
                    .setTicket(ByteString.copyFrom(ticket))
                    .setSeconds((int) PreparedSessions.GOOD_FOR.toSeconds()))
            .build());
  }

  /** Answers whether another server can be reached. */
  private void dial(PeerAddress peer) {
    PeerProbed.Builder answer = PeerProbed.newBuilder();
    try {
      check();
      Duration roundTrip =
          thirdParty
              .dialer(peer, Hello.newBuilder(), false, deadlines)
              .probe(thirdParty.node().loops().next());
      answer.setRoundTripMicros(TimeUnit.NANOSECONDS.toMicros(roundTrip.toNanos()));
    } catch (FdtException e) {
      refusals.log(connection.peer(), client.grant().label(), "probe_peer", "", e);
      answer.setCode(e.code().wireCode()).setMessage(MessageText.fit(e.getMessage()));
    } catch (RuntimeException | Error e) {
      LOG.error("defect peer={}", connection.peer(), e);
      answer.setCode(ErrorCode.INTERNAL.wireCode()).setMessage("the server failed");
    }
    connection.send(Control.newBuilder().setPeerProbed(answer).build());
  }

  /**
   * Finds the session that a client wants to follow, or sends the client the result of an ended
   * one.
   *
   * @return the session if it runs
   * @throws FdtException NOT_FOUND or USAGE
   */
  public Optional<DirectedRuns.Live> attach(AttachRun request, DirectedRuns.Follower follower)
      throws FdtException {
    DirectedRuns runs = thirdParty.runs();
    DirectedRuns.Run found = runs.find(request.getId(), user());
    if (found instanceof DirectedRuns.Live run) {
      return Optional.of(run);
    }
    DirectedRuns.Ended ended = (DirectedRuns.Ended) found;
    follower.send(RunMessages.attached(ended.describe(runs.nowNanos()), 0));
    RunMessages.sendEvents(follower, ended.problems(), ended.problems().size());
    follower.send(RunMessages.ended(ended));
    follower.close();
    return Optional.empty();
  }

  /** Answers with the sessions that the client may see, and closes the connection. */
  private void list() {
    List<RunDescription> runs = thirdParty.runs().list(user());
    for (int from = 0; from == 0 || from < runs.size(); from += RUNS_PER_MESSAGE) {
      List<RunDescription> some =
          runs.subList(from, Math.min(runs.size(), from + RUNS_PER_MESSAGE));
      RunList.Builder list = RunList.newBuilder().setIsLast(from + some.size() == runs.size());
      some.forEach(run -> list.addRuns(inList(run)));
      connection.send(Control.newBuilder().setRunList(list).build());
    }
    connection.close();
  }

  private static RunDescription inList(RunDescription run) {
    String message = run.getMessage();
    return run.toBuilder()
        .clearCommand()
        .setMessage(message.substring(0, Math.min(message.length(), MOST_MESSAGE)))
        .build();
  }

  private Owner user() {
    return Owner.of(client.grant(), connection.peerAddress());
  }
}
