package io.fdt.server.spool;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.wire.SessionId;
import io.fdt.server.limits.SharedBudget;
import io.fdt.server.session.ServerSessions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Limits copies to a spool to its size, and those of each token to its limit. Confined to one
 * thread unless stated otherwise.
 */
public final class SpoolLimit {
  private final Spool spool;
  private final SpoolQuota quota;
  private final Supplier<List<ServerSessions.Writing>> copies;

  /** The running copies, as last seen, the oldest first. */
  private final Map<RunningSession, String> filling = new LinkedHashMap<>();

  /**
   * Bytes in each place, as last measured; in a place that a copy writes to, the bytes before it.
   * Null if unknown.
   */
  private Map<String, Long> resting;

  /** Bytes of each place with its digests, as last seen; null if unknown. Any thread. */
  private volatile Map<String, Long> seen;

  /** Places to be measured again. Any thread. */
  private final Set<String> changed = ConcurrentHashMap.newKeySet();

  /** Places of copies that were aborted but still run. */
  private final Set<SessionId> tooMuch = new HashSet<>();

  private final Consumer<SessionId> discard;

  /**
   * @param quota has the limits, and takes the measured bytes
   * @param copies that write to the spool now
   * @param discard removes the files of a place
   */
  public SpoolLimit(
      Spool spool,
      SpoolQuota quota,
      Supplier<List<ServerSessions.Writing>> copies,
      Consumer<SessionId> discard) {
    this.spool = spool;
    this.quota = quota;
    this.discard = discard;
    this.copies = copies;
  }

  /** Marks a place to be measured again. Any thread. */
  public void changed(SessionId place) {
    changed.add(place.toString());
  }

  /**
   * Checks that a token may store more, by the last measurement. Any thread.
   *
   * @throws FdtException STORAGE_FULL
   */
  public void check(Grant grant) throws FdtException {
    Map<String, Long> last = seen;
    if (last != null) {
      check(grant, last);
    }
  }

  /**
   * Checks the same after a new measurement. Any thread that may block.
   *
   * @throws FdtException STORAGE_FULL
   */
  public void measure(Grant grant) throws FdtException {
    Map<String, Long> all = new HashMap<>();
    for (String place : spool.names()) {
      all.put(place, spool.bytes(place) + spool.bytesOfDigests(place));
    }
    check(grant, all);
  }

  private void check(Grant grant, Map<String, Long> bytes) throws FdtException {
    SharedBudget files = SpoolQuota.byOwner(bytes);
    Optional<FdtException> excess =
        quota.excess(files).or(() -> quota.excess(files, SpoolQuota.Owner.of(grant)));
    if (excess.isPresent()) {
      throw excess.get();
    }
  }

  /**
   * Ends the youngest copy to a full spool, and all copies of a token above its limit. Their files
   * are removed to make room for others.
   */
  public void watch() throws FdtException {
    List<ServerSessions.Writing> now = copies.get();
    seeWhatRuns(now);
    Map<String, Long> all = rested();
    seen = withDigests(all);
    RunningSession youngest = null;
    for (RunningSession one : filling.keySet()) {
      all.merge(filling.get(one), one.progress().figures().bytesDone(), Long::sum);
      youngest = one;
    }
    SharedBudget files = SpoolQuota.byOwner(withDigests(all));
    quota.measured(files);
    Optional<FdtException> full = quota.excess(files);
    for (ServerSessions.Writing one : now) {
      Optional<FdtException> own = quota.excess(files, SpoolQuota.Owner.of(one.grant()));
      if (own.isPresent()) {
        end(one, own.get());
      } else if (full.isPresent() && youngest == one.session()) {
        end(one, full.get());
      }
    }
  }

  private Map<String, Long> withDigests(Map<String, Long> files) {
    Map<String, Long> both = new HashMap<>(files);
    both.replaceAll((place, bytes) -> bytes + spool.bytesOfDigests(place));
    return both;
  }

  private void seeWhatRuns(List<ServerSessions.Writing> now) {
    Set<RunningSession> running =
        now.stream().map(ServerSessions.Writing::session).collect(Collectors.toSet());
    for (RunningSession ended : List.copyOf(filling.keySet())) {
      if (!running.contains(ended)) {
        changed.add(filling.remove(ended));
      }
    }
    now.forEach(one -> filling.putIfAbsent(one.session(), Spool.nameIn(one.destination())));
    for (SessionId place : List.copyOf(tooMuch)) {
      if (!filling.containsValue(place.toString())) {
        tooMuch.remove(place);
        discard.accept(place);
      }
    }
  }

  /** Bytes without those of running copies. */
  private Map<String, Long> rested() throws FdtException {
    Map<String, Long> known = resting == null ? Map.of() : resting;
    Map<String, Long> all = new HashMap<>();
    for (String place : spool.names()) {
      if (filling.containsValue(place)) {
        all.put(place, known.getOrDefault(place, 0L));
      } else if (changed.remove(place) || !known.containsKey(place)) {
        all.put(place, spool.bytes(place));
      } else {
        all.put(place, known.get(place));
      }
    }
    changed.retainAll(all.keySet());
    resting = Map.copyOf(all);
    return all;
  }

  private void end(ServerSessions.Writing one, FdtException cause) {
    Spool.placeIn(one.destination()).ifPresent(tooMuch::add);
    one.session().abort(cause);
  }
}
