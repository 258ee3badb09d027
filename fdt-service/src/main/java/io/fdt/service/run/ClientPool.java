package io.fdt.service.run;

import io.fdt.client.FdtClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * A pool of clients of servers, reused by later tasks: a new one costs threads and a TLS context,
 * about 0.1 s of CPU. An idle one is closed after a while. Any thread.
 */
public final class ClientPool implements AutoCloseable {
  private final long idleNanos;
  private final Map<Key, Entry> entries = new HashMap<>();
  private boolean closed;

  /**
   * An empty pool.
   *
   * @param idle how long an idle client is kept
   */
  ClientPool(Duration idle) {
    this.idleNanos = idle.toNanos();
  }

  /**
   * Identifies a client, with its rights: a client is never lent to another user.
   *
   * @param trust the key that the server must have, and the home that is trusted as well: only for
   *     the user who may reach this machine
   * @param tokenHash of its token; empty without
   */
  record Key(String host, int port, String trust, String tokenHash, boolean encrypts) {}

  @FunctionalInterface
  interface Maker<E extends Exception> {
    FdtClient make() throws E;
  }

  private static final class Entry {
    final FdtClient client;
    int users;
    long idleSinceNanos;

    Entry(FdtClient client) {
      this.client = client;
    }
  }

  /** A lent client. {@link #close} returns it. */
  public final class Lent implements AutoCloseable {
    private final Entry entry;
    private boolean back;

    private Lent(Entry entry) {
      this.entry = entry;
    }

    /** The client, until it is returned. */
    public FdtClient client() {
      return entry.client;
    }

    @Override
    public void close() {
      giveBack(this);
    }
  }

  /** Lends a client; several may have the same one. */
  <E extends Exception> Lent lend(Key key, long nowNanos, Maker<E> maker) throws E {
    sweep(nowNanos);
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the pool is closed");
      }
      Entry entry = entries.get(key);
      if (entry == null) {
        entry = new Entry(maker.make());
        entries.put(key, entry);
      }
      entry.users++;
      return new Lent(entry);
    }
  }

  private synchronized void giveBack(Lent lent) {
    if (lent.back) {
      return;
    }
    lent.back = true;
    lent.entry.users--;
    lent.entry.idleSinceNanos = System.nanoTime();
  }

  /** Closes idle clients. */
  void sweep(long nowNanos) {
    List<Entry> old = new ArrayList<>();
    synchronized (this) {
      for (Iterator<Entry> all = entries.values().iterator(); all.hasNext(); ) {
        Entry entry = all.next();
        if (entry.users == 0 && nowNanos - entry.idleSinceNanos > idleNanos) {
          all.remove();
          old.add(entry);
        }
      }
    }
    old.forEach(entry -> entry.client.close()); // waits: not under the lock
  }

  /** The number of clients. */
  synchronized int size() {
    return entries.size();
  }

  /** Closes all clients, including lent ones. Idempotent. */
  @Override
  public void close() {
    List<Entry> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(entries.values());
      entries.clear();
    }
    all.forEach(entry -> entry.client.close());
  }
}
