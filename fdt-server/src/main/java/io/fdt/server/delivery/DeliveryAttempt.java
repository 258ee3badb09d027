package io.fdt.server.delivery;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.node.DialedSession;
import io.fdt.core.node.SessionWork;
import io.fdt.core.security.AddressRange;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.Delivery;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.server.session.SessionFilters;
import io.fdt.server.session.SessionLog;
import io.fdt.server.session.SessionRequest;
import io.fdt.server.spool.Spool;
import io.fdt.server.spool.SpoolDigests;
import io.fdt.server.spool.SpooledSource;
import io.fdt.server.thirdparty.DirectedRun;
import io.fdt.server.thirdparty.ThirdParty;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Begins the sessions of deliveries, with the rights and limits of the tokens that left them.
 * Thread-safe.
 *
 * @param thirdParty dials the receiving servers
 * @param digests of the files as received
 * @param ended called at the end of a session, with the failure or null
 */
record DeliveryAttempt(
    DeliveryContext context,
    ThirdParty thirdParty,
    SpoolDigests digests,
    BiConsumer<Delivery, FdtException> ended) {
  /**
   * Begins an attempt.
   *
   * @param follower through which clients follow it
   * @throws FdtException the attempt cannot begin
   */
  void start(Delivery delivery, DeliveryRun follower) throws FdtException {
    Duration turn = DeliveryLine.turn(StoredDelivery.left(delivery));
    RunSession run =
        delivery.getHandOver().getRun().toBuilder()
            .setRetryTimeoutPlusOne(turn.toMillis() + 1)
            .build();
    Grant grant =
        context
            .tokens()
            .find(delivery.getOwner(), Instant.ofEpochSecond(delivery.getOwnerCreated()));
    DeliveryDesk.check(grant);
    SessionRequest own =
        context
            .rules()
            .check(run.getOwn().toBuilder().clearTellState().build()); // its peer has not asked
    SessionLog log =
        new SessionLog(
            own,
            grant,
            StoredDelivery.address(delivery).getHostAddress(),
            Spool.EXPORT.toString(),
            context.accessLog());
    DirectedRun session =
        DirectedRun.start(
            run,
            own,
            work(delivery, own, grant),
            thirdParty.within(AddressRange.parse(grant.relay().to())),
            StoredDelivery.owner(delivery),
            new DirectedRun.Start(
                Hello.newBuilder().setToken(delivery.getHandOver().getToken()), follower),
            new Watch(delivery, own, grant, log));
    log.dialled(run.getAddress().getHost(), run.getAddress().getPort());
    follower.begins(session);
  }

  /** Sends the files, if they are unchanged since they were received. */
  private SessionWork work(Delivery delivery, SessionRequest own, Grant grant) throws FdtException {
    SpoolDigests.Known known = digests.read(StoredDelivery.place(delivery));
    OpenFileLimit openFiles =
        context.sessions().descriptors().of(grant, StoredDelivery.address(delivery));
    SessionWork work = context.trees().work(own, false, openFiles, context.nodes().of(own));
    if (work instanceof SessionWork.Sends sends) {
      return new SessionWork.Sends(
          new SpooledSource(sends.source(), known),
          sends.reportsState(),
          sends.detailed(),
          sends.stripe());
    }
    throw new FdtException(ErrorCode.PROTOCOL, "bad request: a delivery sends");
  }

  /** Follows the session of one delivery. Any thread. */
  private final class Watch implements DirectedRun.Hooks {
    private final Delivery delivery;
    private final SessionRequest own;
    private final Grant grant;
    private final SessionLog log;

    Watch(Delivery delivery, SessionRequest own, Grant grant, SessionLog log) {
      this.delivery = delivery;
      this.own = own;
      this.grant = grant;
      this.log = log;
    }

    @Override
    public RateSource begins(RunningSession session) throws FdtException {
      return context
          .sessions()
          .add(session, own, grant, StoredDelivery.address(delivery), Spool.EXPORT.toString())
          .atMost(grant.relay().bytesPerSecond());
    }

    @Override
    public void dataAddresses(DialedSession session, List<DataNode> addresses, int streamsEach) {
      context.nodes().dial(session.id(), addresses, streamsEach);
    }

    @Override
    public SessionFilters filters() {
      return SessionFilters.none(own);
    }

    @Override
    public SessionLog log() {
      return log;
    }

    @Override
    public void ended(RunningSession session, FdtException failure) {
      context.sessions().remove(session, failure);
      context.nodes().forget(own);
      log.ended(session.progress().figures(), failure);
      ended.accept(delivery, failure);
    }
  }
}
