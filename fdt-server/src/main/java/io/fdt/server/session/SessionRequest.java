package io.fdt.server.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Direction;
import io.fdt.core.wire.control.OpenSession;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * A checked request for a session.
 *
 * @param isPull whether this server sends
 * @param spec the part of the spec for this server
 * @param isNettest whether it is from memory to memory
 * @param isEncrypted whether data streams are encrypted
 * @param inOrder whether the client receives the single file in order
 * @param tellsState whether the receiving client gets the sender's state
 * @param detailed whether details of both ends for a monitor are exchanged
 * @param rateLimit initial bytes per second of all streams together; 0 for none
 * @param key equal for repetitions of a request by one user; 0 for none
 * @param roundTrip between the two ends, as measured by the client; zero when unknown
 */
public record SessionRequest(
    SessionId id,
    byte[] secret,
    boolean isPull,
    TransferSpec spec,
    boolean isNettest,
    boolean isEncrypted,
    boolean inOrder,
    boolean tellsState,
    boolean detailed,
    long rateLimit,
    long key,
    Duration roundTrip) {
  /** The longest plausible round trip. */
  private static final Duration LONGEST_ROUND_TRIP = Duration.ofSeconds(10);

  /**
   * Reads and checks a request.
   *
   * @throws FdtException PROTOCOL for an invalid request
   */
  public static SessionRequest of(OpenSession request) throws FdtException {
    byte[] secret = request.getSessionSecret().toByteArray();
    boolean pull = request.getDirection() == Direction.PULL;
    check(secret.length == Join.SECRET_LENGTH, "length of the secret " + secret.length);
    check(pull || request.getDirection() == Direction.PUSH, "no direction");
    check(request.getRateLimit() >= 0, "rate limit " + request.getRateLimit());
    TransferSpec spec = TransferSpecCoding.decode(request.getSpec());
    boolean nettest = request.getNettest();
    check(nettest || !pull || !spec.sources().isEmpty(), "a pull without a source");
    boolean isOfOneFile = pull && spec.sources().size() == 1 && !spec.recursive() && !nettest;
    boolean takesRange = !pull && !nettest && spec.part().cut().isPresent();
    check(
        isOfOneFile || takesRange || spec.part().isWhole(),
        "a part of something else than one file");
    check(isOfOneFile || !request.getInOrder(), "something else than one file in order");
    check(
        spec.deltaFrom().isEmpty() || (!pull && !nettest),
        "older files at an end that receives nothing");
    check(
        spec.backups().isEmpty() || (!pull && !nettest), "backups at an end that receives nothing");
    return new SessionRequest(
        sessionId(request),
        secret,
        pull,
        spec,
        nettest,
        request.getEncrypted(),
        request.getInOrder(),
        pull && request.getTellState(),
        request.getTellDetails(),
        request.getRateLimit(),
        request.getRequestKey(),
        roundTrip(request));
  }

  private static Duration roundTrip(OpenSession request) {
    Duration told = Duration.of(request.getRoundTripMicros() & 0xFFFFFFFFL, ChronoUnit.MICROS);
    return told.compareTo(LONGEST_ROUND_TRIP) > 0 ? Duration.ZERO : told;
  }

  private static SessionId sessionId(OpenSession request) throws FdtException {
    try {
      return SessionId.of(request.getSessionId().toByteArray());
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: " + e.getMessage(), e);
    }
  }

  /** The same session with other files. */
  SessionRequest with(List<Operand> otherSources, BytePath otherDestination) {
    TransferSpec other =
        spec.toBuilder().sources(otherSources).destination(otherDestination).build();
    return new SessionRequest(
        id,
        secret,
        isPull,
        other,
        isNettest,
        isEncrypted,
        inOrder,
        tellsState,
        detailed,
        rateLimit,
        key,
        roundTrip);
  }

  /**
   * Checks that a request does not use the rights of this process.
   *
   * @param allowPrivileged whether a client may use them
   * @throws FdtException FORBIDDEN
   */
  public void checkRights(boolean allowPrivileged) throws FdtException {
    Preservation kept = spec.preservation();
    boolean givesRights = isPull ? kept.keeps(Preservation.Aspect.ALL_XATTRS) : kept.givesRights();
    if (givesRights && !allowPrivileged) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          isPull
              ? "the server sends only extended attributes of users: leave out all-xattrs,"
                  + " or start it with "
                  + Setting.ALLOW_PRIVILEGED
              : "the server does not let clients set owner, special-bits or all-xattrs: leave them"
                  + " out, or start it with "
                  + Setting.ALLOW_PRIVILEGED);
    }
  }

  private static void check(boolean good, String flaw) throws FdtException {
    if (!good) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: " + flaw);
    }
  }
}
