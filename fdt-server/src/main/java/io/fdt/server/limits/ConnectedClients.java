package io.fdt.server.limits;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts clients, and limits their connections and descriptors. Thread-safe. */
public final class ConnectedClients {
  private final Quota slots;
  private final DescriptorBudget descriptors;
  private final RefusalCounts refusals = new RefusalCounts();
  private final AtomicInteger count = new AtomicInteger();
  private final Runnable afterLast;

  /**
   * @param most control connections
   * @param afterLast runs when no client is left
   */
  public ConnectedClients(int most, DescriptorBudget descriptors, Runnable afterLast) {
    this.slots = new Quota("clients", most);
    this.descriptors = descriptors;
    this.afterLast = afterLast;
  }

  /**
   * Takes a slot and a descriptor for a connection.
   *
   * @return the descriptors of the client
   * @throws FdtException BUSY
   */
  public DescriptorBudget.Share take(Object connection, InetAddress address, Grant grant)
      throws FdtException {
    slots.take(connection, address, grant, 1);
    DescriptorBudget.Share share = descriptors.of(grant, address);
    share.take(1);
    return share;
  }

  /** Releases the slot of a connection. Idempotent. */
  public void release(Object connection) {
    slots.giveBack(connection);
  }

  /** Counts a client, or a session that outlives its client. */
  public void came() {
    count.incrementAndGet();
  }

  public void left() {
    if (count.decrementAndGet() == 0) {
      afterLast.run();
    }
  }

  public int count() {
    return count.get();
  }

  /** Connections that hold a slot. */
  public long connected() {
    return slots.taken();
  }

  public RefusalCounts refusals() {
    return refusals;
  }
}
