package io.fdt.core.receive;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.Entry;
import java.util.HashMap;
import java.util.Map;

/**
 * The files of a transfer with several names, until all names have arrived.
 *
 * <p>Memory: about 240 bytes each, at most {@link #most} files; names of further files become
 * separate files. Thread-safe: the placement registers and queries, the event loop adds outcomes.
 */
final class FirstNames {
  /** The state of a first name. */
  enum State {
    /** The file is being transferred. */
    OPEN,
    /** The file is complete. */
    THERE,
    /** A dry run: the file would be transferred. */
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

    /** The failure; null for none. */
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

    /**
     * Uses an equal file for further names, because the first one has the maximum number of links.
     */
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

  /** Registers an entry that may be the first name of others. */
  synchronized void add(Entry entry, Place place, State state) {
    if (entry.metadata().nameCount() > 1 && byId.size() < most) {
      byId.put(entry.id(), new FirstName(place, entry, state));
    }
  }

  /**
   * The first name of an entry; null when the entry becomes a separate file. Called once per entry.
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
   * Records the outcome of a file that may be the first name of others.
   *
   * @param failure null for success
   * @return null when it is not a first name
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

  /** The failure of the file; null for none. */
  synchronized ErrorCode failureOf(FirstName first) {
    return first.failure;
  }

  /** The digest of a transferred file; otherwise empty. */
  synchronized byte[] digestOf(FirstName first) {
    return first.digest;
  }
}
