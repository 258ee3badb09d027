package io.fdt.server.delivery;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.model.Operand;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Delivery;
import io.fdt.core.wire.control.HandOver;
import io.fdt.core.wire.control.HandOverPlace;
import io.fdt.core.wire.control.Hello;
import io.fdt.server.limits.Owner;
import io.fdt.server.session.SessionRequest;
import io.fdt.server.spool.Spool;
import io.fdt.server.spool.SpoolDigests;
import io.fdt.server.spool.SpoolLimit;
import io.fdt.server.thirdparty.ThirdParty;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts files for later delivery. Any thread that may block. */
final class DeliveryDesk {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryDesk.class);
  private static final Duration LONGEST = Duration.ofDays(365);

  /** Deliveries and results of all clients; one token gets at most half. */
  private static final int MOST = 1000;

  private final Spool spool;
  private final SpoolDigests digests;
  private final DeliveryBook book;
  private final SpoolLimit limit;
  private final DeliveryContext context;
  private final ThirdParty thirdParty;
  private final Consumer<Delivery> stored;
  private final Consumer<SessionId> discard;

  /**
   * @param thirdParty dials the receiving servers
   * @param stored called with each new delivery
   * @param discard removes the files of a place
   */
  DeliveryDesk(
      Spool spool,
      SpoolDigests digests,
      DeliveryBook book,
      SpoolLimit limit,
      DeliveryContext context,
      ThirdParty thirdParty,
      Consumer<Delivery> stored,
      Consumer<SessionId> discard) {
    this.spool = spool;
    this.digests = digests;
    this.book = book;
    this.limit = limit;
    this.context = context;
    this.thirdParty = thirdParty;
    this.stored = stored;
    this.discard = discard;
  }

  static boolean mayHandOver(Grant grant) {
    boolean reaches = grant.exports().isEmpty() || grant.exports().contains(Spool.EXPORT);
    return reaches && !Owner.isAnonymous(grant) && grant.relay().allowed() && !grant.readOnly();
  }

  /**
   * Handles a client that requests a place for files, or reports that all are stored.
   *
   * @throws FdtException FORBIDDEN; PROTOCOL; BUSY; STORAGE_FULL when the spool is full
   */
  HandOverPlace handOver(HandOver request, Grant grant, InetAddress client) throws FdtException {
    check(grant);
    SessionId place = Spool.place(grant, id(request.getId()));
    if (request.hasRun() && !book.isUnderWay(place)) {
      store(place, request, grant, client);
    } else if (!request.hasRun() && !book.isUnderWay(place)) {
      limit.check(grant);
      book.offer(place);
    }
    boolean isUnderWay = book.isUnderWay(place);
    return HandOverPlace.newBuilder()
        .setPath(isUnderWay ? ByteString.EMPTY : ByteString.copyFrom(Spool.path(place).bytes()))
        .setBytes(spool.bytes(place))
        .build();
  }

  static void check(Grant grant) throws FdtException {
    if (!mayHandOver(grant)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token does not allow leaving files with the relay; ask its administrator for"
              + " another one");
    }
  }

  private static SessionId id(ByteString bytes) throws FdtException {
    try {
      return SessionId.of(bytes.toByteArray());
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: " + e.getMessage(), e);
    }
  }

  private void store(SessionId place, HandOver request, Grant grant, InetAddress client)
      throws FdtException {
    Duration deadline = Duration.ofSeconds(request.getDeadlineSeconds());
    if (deadline.isNegative() || deadline.compareTo(LONGEST) > 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: deadline " + deadline);
    }
    checkRun(request, place);
    try {
      limit.measure(grant); // the last measurement may be too old
    } catch (FdtException e) {
      discard.accept(place);
      throw e;
    }
    digests.complete(place);
    Delivery delivery =
        Delivery.newBuilder()
            .setHandOver(request)
            .setOwner(grant.name())
            .setOwnerCreated(grant.created().getEpochSecond())
            .setAddress(client.getHostAddress().replaceFirst("%.*", ""))
            .setDeadline(Instant.now().plus(deadline).getEpochSecond())
            .setPlace(ByteString.copyFrom(place.bytes()))
            .build();
    if (book.add(delivery, MOST)) {
      LOG.info(
          "stored id={} token={} destination={}:{}",
          id(request.getId()).shortName(),
          grant.label(),
          request.getRun().getAddress().getHost(),
          request.getRun().getAddress().getPort());
      stored.accept(delivery);
    }
  }

  /** Checks that the delivery reads only its place, with the rights of an ordinary session. */
  private void checkRun(HandOver request, SessionId place) throws FdtException {
    SessionRequest own = context.rules().check(request.getRun().getOwn());
    boolean isRight =
        own.isPull() && own.id().equals(id(request.getId())) && !own.isNettest() && !own.inOrder();
    boolean isWhole = !own.spec().dryRun() && own.spec().part().isWhole() && spool.has(place);
    boolean isWithin = own.spec().sources().stream().allMatch(one -> isWithin(one, place));
    if (!isRight || !isWhole || !isWithin) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "bad request: the session must send what lies in the place that the relay gave");
    }
    if (!own.spec().digestMethod().isOfChunks()) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "bad request: files are delivered with the digest with which they came; choose xxh3,"
              + " blake3, sha256, md5 or sha1");
    }
    TransferSpecCoding.decode(request.getRun().getPeer().getSpec());
    thirdParty.dialer(
        request.getRun().getAddress(), Hello.newBuilder(), false, context.deadlines());
  }

  private static boolean isWithin(Operand source, SessionId place) {
    try {
      List<FileName> names = source.path().names();
      return names.size() > 2
          && names.get(0).equals(Spool.EXPORT)
          && names.get(1).equals(FileName.of(place.toString()));
    } catch (IllegalArgumentException e) {
      return false; // ".."
    }
  }
}
