package io.fdt.server.delivery;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Delivery;
import io.fdt.server.spool.Spool;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records of deliveries, in memory and in the spool. One lock guards a place while it is offered,
 * stored and removed, so that no file is removed while a client writes it. Thread-safe.
 */
final class DeliveryBook {
  private final Spool spool;
  private final Map<SessionId, Delivery> stored = new ConcurrentHashMap<>();

  DeliveryBook(Spool spool) {
    this.spool = spool;
  }

  /** Reads the stored records. */
  synchronized void load() throws FdtException {
    for (Delivery delivery : spool.deliveries()) {
      stored.put(StoredDelivery.place(delivery), delivery);
    }
  }

  /** Deliveries that have not ended, including those whose server is unreachable. */
  int waiting() {
    return (int) stored.values().stream().filter(one -> !one.hasResult()).count();
  }

  /** The delivery of a place; null for none. */
  Delivery get(SessionId place) {
    return stored.get(place);
  }

  /** All deliveries, those that ended first at the beginning. */
  List<Delivery> all() {
    List<Delivery> all = new ArrayList<>(stored.values());
    all.sort(Comparator.comparingLong(Delivery::getEnded));
    return all;
  }

  /** Whether a request is complete but not delivered yet. */
  boolean isUnderWay(SessionId place) {
    Delivery known = stored.get(place);
    return known != null && !known.hasResult();
  }

  /** Reserves a place for a client; a place with a result starts over. */
  synchronized void offer(SessionId place) throws FdtException {
    if (isUnderWay(place)) {
      return;
    }
    if (stored.remove(place) != null) { // its files are continued if they are there
      spool.forget(place);
    }
    spool.touch(place);
  }

  /**
   * Adds a complete request.
   *
   * @param most records of all tokens together; one token can have half of them
   * @return false for a repetition
   * @throws FdtException BUSY
   */
  synchronized boolean add(Delivery delivery, int most) throws FdtException {
    SessionId place = StoredDelivery.place(delivery);
    if (isUnderWay(place)) {
      return false;
    }
    long own =
        stored.values().stream().filter(one -> one.getOwner().equals(delivery.getOwner())).count();
    if (stored.size() >= most || own >= most / 2) {
      throw new FdtException(
          ErrorCode.BUSY, "the relay has too many requests already: try again later");
    }
    spool.keep(place, delivery);
    stored.put(place, delivery);
    return true;
  }

  /**
   * Records the end of a delivery.
   *
   * @param done with the result
   * @param discards whether its files are removed
   */
  synchronized void end(Delivery done, boolean discards) throws FdtException {
    SessionId place = StoredDelivery.place(done);
    spool.keep(place, done);
    if (discards) {
      spool.discard(place);
    }
    stored.put(place, done);
  }

  /** Removes the files of an incomplete request. */
  synchronized void drop(SessionId place) {
    if (!stored.containsKey(place)) {
      spool.discard(place);
    }
  }

  /**
   * Removes old results and incomplete requests.
   *
   * @param resultsBefore removes results from before this time
   * @param unfinished places unused for long
   */
  synchronized void sweep(Instant resultsBefore, List<SessionId> unfinished) {
    for (Delivery delivery : List.copyOf(stored.values())) {
      if (delivery.hasResult() && delivery.getEnded() < resultsBefore.getEpochSecond()) {
        SessionId place = StoredDelivery.place(delivery);
        spool.discard(place);
        spool.forget(place);
        stored.remove(place);
      }
    }
    unfinished.forEach(this::drop);
  }
}
