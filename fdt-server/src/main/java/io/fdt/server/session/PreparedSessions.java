package io.fdt.server.session;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.server.limits.Quota;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The sessions that other servers will open here for clients of this one. A ticket is valid for one
 * session, from one server, for a short time. Thread-safe.
 */
public final class PreparedSessions {
  /** The time within which a session must begin. */
  public static final Duration GOOD_FOR = Duration.ofSeconds(60);

  /** The most prepared sessions, if all are small. */
  static final int MOST = 1024;

  /** The most bytes of all prepared sessions: a list of sources can fill a whole message. */
  static final long MOST_BYTES = 64L << 20;

  /** The minimum size that is counted, so that there are never more than {@link #MOST}. */
  private static final long LEAST_BYTES = MOST_BYTES / MOST;

  private static final int TICKET_LENGTH = 32;

  /** A prepared session. Guarded by the enclosing object. */
  public static final class Prepared {
    private final OpenSession open;
    private final Grant grant;
    private final Fingerprint peer;
    private final long untilNanos;
    private SessionId session;

    private Prepared(OpenSession open, Grant grant, Fingerprint peer, long untilNanos) {
      this.open = open;
      this.grant = grant;
      this.peer = peer;
      this.untilNanos = untilNanos;
    }

    /** The rights of the client that prepared the session. */
    public Grant grant() {
      return grant;
    }
  }

  private final SecureRandom random = new SecureRandom();
  private final LongSupplier clock;
  private final Quota quota =
      new Quota(
          "of memory for prepared transfers",
          MOST_BYTES,
          bytes -> ByteSize.ofBytes(bytes).toString());

  /** By the hash of the ticket, so that the time of a lookup reveals nothing. */
  private final Map<ByteBuffer, Prepared> byTicket = new HashMap<>();

  /**
   * @param clock in nanoseconds, from an arbitrary origin
   */
  public PreparedSessions(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * Prepares a session.
   *
   * @param open the request, without id and secret
   * @param client the requesting client, with its rights
   * @param peer the server that will dial
   * @return the ticket, a secret
   * @throws FdtException BUSY at the limit
   */
  public synchronized byte[] prepare(
      OpenSession open, Grant grant, InetAddress client, Fingerprint peer) throws FdtException {
    forgetOld();
    Prepared prepared = new Prepared(open, grant, peer, clock.getAsLong() + GOOD_FOR.toNanos());
    quota.take(prepared, client, grant, Math.max(LEAST_BYTES, open.getSerializedSize()));
    byte[] ticket = new byte[TICKET_LENGTH];
    random.nextBytes(ticket);
    byTicket.put(hash(ticket), prepared);
    return ticket;
  }

  /**
   * The session that a server may open, or has opened and may resume, with this ticket.
   *
   * @param peer the key that the server has proven
   * @throws FdtException UNAUTHENTICATED for an invalid ticket, with the same answer for every
   *     reason
   */
  public synchronized Prepared admit(byte[] ticket, Optional<Fingerprint> peer)
      throws FdtException {
    forgetOld();
    Prepared prepared = byTicket.get(hash(ticket));
    if (prepared == null || !Optional.of(prepared.peer).equals(peer)) {
      throw new FdtException(
          ErrorCode.UNAUTHENTICATED,
          "the ticket is not valid (any more): start the transfer again");
    }
    return prepared;
  }

  /**
   * Uses up a ticket.
   *
   * @param asked by the dialing server: id and secret of the session
   * @return the prepared request, with this id and secret
   * @throws FdtException FORBIDDEN for a used ticket
   */
  public synchronized OpenSession begin(Prepared prepared, OpenSession asked) throws FdtException {
    if (prepared.session != null) {
      throw new FdtException(ErrorCode.FORBIDDEN, "the ticket has been used before");
    }
    OpenSession open =
        prepared.open.toBuilder()
            .setSessionId(asked.getSessionId())
            .setSessionSecret(asked.getSessionSecret())
            .build();
    try {
      prepared.session = SessionId.of(asked.getSessionId().toByteArray());
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: " + e.getMessage(), e);
    }
    return open;
  }

  /**
   * Checks that a session is the one that the ticket was used for.
   *
   * @throws FdtException FORBIDDEN
   */
  public synchronized void checkResumes(Prepared prepared, SessionId session) throws FdtException {
    if (!session.equals(prepared.session)) {
      throw new FdtException(ErrorCode.FORBIDDEN, "the ticket is for another session");
    }
  }

  /** Removes a session that has ended or was refused. Idempotent. */
  public synchronized void forget(Prepared prepared) {
    byTicket.values().remove(prepared);
    quota.giveBack(prepared);
  }

  private void forgetOld() {
    long now = clock.getAsLong();
    for (Iterator<Prepared> all = byTicket.values().iterator(); all.hasNext(); ) {
      Prepared prepared = all.next();
      if (prepared.session == null && now - prepared.untilNanos > 0) {
        all.remove();
        quota.giveBack(prepared);
      }
    }
  }

  private static ByteBuffer hash(byte[] ticket) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(ticket));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
