package io.fdt.core.receive;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Entry;
import java.util.HashMap;
import java.util.Map;

/**
 * The files of a transfer that have several names, until all of these have come.
 *
 * <p>Memory: about 240 bytes each, and no more of them than {@link #most}; what is not remembered
 * gets its names as files of their own. Thread-safe: the placement registers and asks, the event
 * loop adds how files ended.
 */
final class FirstNames {
  /** The state of a first name. */
  enum State {
    /** It is being moved. */
    OPEN,
    /** It is in place. */
    THERE,
    /** A dry run: it would be. */
    DUE,
    FAILED
  }

  /** A file under the first of its names. */
  static final class FirstName {
    private volatile Place place;
    private final long size;
    private long left;
    private State state;
    private byte[] digest = {};

    /** Null unless it failed. */
    private ErrorCode failure;

    private FirstName(Place place, Entry entry, State state) {
      this.place = place;
      this.size = entry.size();
      this.left = entry.metadata().nameCount() - 1;
      this.state = state;
    }

    Place place() {
      return place;
    }

    /** From now on other names are those of an equal file: the first one can have no more. */
    void moveTo(Place next) {
      place = next;
    }

    /** Bytes of the file. */
    long size() {
      return size;
    }
  }

  private final int most;
  private final Map<Long, FirstName> byId = new HashMap<>();

  FirstNames(int most) {
    this.most = most;
  }

  /** An entry that may be the first name of others has found its place. */
  synchronized void add(Entry entry, Place place, State state) {
    if (entry.metadata().nameCount() > 1 && byId.size() < most) {
      byId.put(entry.id(), new FirstName(place, entry, state));
    }
  }

  /**
   * The first name of an entry; null when the entry is to be moved as a file of its own. Each entry
   * asks once.
   */
  synchronized FirstName of(Entry entry) {
    FirstName first = byId.get(entry.metadata().firstName());
    if (first == null) {
      return null;
    }
    first.left--;
    forgetIfDone(entry.metadata().firstName(), first);
    return first.state == State.FAILED || first.size != entry.size() ? null : first;
  }

  /**
   * A file that may be the first name of others has an outcome.
   *
   * @param failure why it did not arrive; null when it did
   * @return null when it is none
   */
  synchronized FirstName settled(Entry entry, ErrorCode failure, byte[] digest) {
    FirstName first = byId.get(entry.id());
    if (first == null || first.state != State.OPEN) {
      return null;
    }
    first.state = failure == null ? State.THERE : State.FAILED;
    first.failure = failure;
    first.digest = digest;
    forgetIfDone(entry.id(), first);
    return first;
  }

  private void forgetIfDone(long id, FirstName first) {
    if (first.left <= 0 && first.state != State.OPEN) {
      byId.remove(id);
    }
  }

  synchronized State stateOf(FirstName first) {
    return first.state;
  }

  /** Why the file did not arrive; null unless it failed. */
  synchronized ErrorCode failureOf(FirstName first) {
    return first.failure;
  }

  /** The digest of a file that was moved; empty otherwise. */
  synchronized byte[] digestOf(FirstName first) {
    return first.digest;
  }
}
