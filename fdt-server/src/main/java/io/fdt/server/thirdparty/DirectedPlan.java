package io.fdt.server.thirdparty;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.SessionPlan;
import io.fdt.core.node.SessionWork;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.RunSession;
import io.fdt.server.session.SessionRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The plans of both ends of a directed session: the peer's and this server's. Thread-safe. */
final class DirectedPlan implements SessionPlan {
  private final SessionRequest own;
  private final OpenSession peer;
  private final TransferSpec peerSpec;
  private final SessionWork work;
  private volatile RateSource rate = RateSource.NONE;
  private volatile long asked;

  DirectedPlan(SessionRequest own, OpenSession peer, SessionWork work) throws FdtException {
    this.own = own;
    this.peer = peer;
    this.peerSpec = TransferSpecCoding.decode(peer.getSpec());
    this.work = work;
    this.asked = own.rateLimit();
  }

  @Override
  public SessionPlan over(Duration roundTrip) {
    return this;
  }

  @Override
  public OpenSession open() {
    return peer;
  }

  @Override
  public TransferSpec spec() {
    return own.spec();
  }

  @Override
  public boolean isPull() {
    return !own.isPull(); // what this server sends, its peer does not
  }

  /** The lower one of the server's limit and the client's. */
  @Override
  public RateSource limit() {
    return () -> {
      long ofServer = rate.bytesPerSecond();
      long ofClient = asked;
      return ofClient == 0 || (ofServer != 0 && ofServer < ofClient) ? ofServer : ofClient;
    };
  }

  @Override
  public SessionWork work() {
    return work;
  }

  /** The request of this server's end. */
  SessionRequest own() {
    return own;
  }

  /** The half of the peer. */
  TransferSpec peerSpec() {
    return peerSpec;
  }

  /** Sets this server's rate limit. */
  void setRate(RateSource ofServer) {
    rate = ofServer;
  }

  /**
   * Sets the client's rate limit.
   *
   * @throws FdtException PROTOCOL for an invalid rate
   */
  void ask(long bytesPerSecond) throws FdtException {
    if (bytesPerSecond < 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: rate limit " + bytesPerSecond);
    }
    asked = bytesPerSecond;
  }

  /** The session's deadlines, as requested by the client. */
  static SessionDeadlines deadlines(RunSession run) throws FdtException {
    SessionDeadlines deadlines = SessionDeadlines.DEFAULT;
    if (run.getIdleTimeout() != 0) {
      deadlines = deadlines.withIdleTimeout(millis(run.getIdleTimeout()));
    }
    if (run.getRetryTimeoutPlusOne() != 0) {
      deadlines = deadlines.withRetryTimeout(millis(run.getRetryTimeoutPlusOne() - 1));
    }
    if (run.getStallTimeout() != 0) {
      deadlines = deadlines.withStallTimeout(millis(run.getStallTimeout()));
    }
    return deadlines;
  }

  private static Duration millis(long millis) throws FdtException {
    if (millis < 0 || millis > TimeUnit.DAYS.toMillis(365)) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: a timeout of " + millis + " ms");
    }
    return Duration.ofMillis(millis);
  }
}
