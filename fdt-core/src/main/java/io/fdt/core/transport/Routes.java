package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Ways to peers through relays. Thread-safe. */
public interface Routes {
  /**
   * The addresses of a host as the last relay sees them. Blocks: not for an event loop.
   *
   * @throws FdtException a relay cannot be reached, or does not connect to that host
   */
  List<InetSocketAddress> addresses(String host, int port) throws FdtException;

  /**
   * The way of control to an address.
   *
   * @return fails with an {@link FdtException}
   */
  CompletableFuture<Route> to(InetSocketAddress target);

  /**
   * The way of data to an address: parts of it may lead over UDP.
   *
   * @return fails with an {@link FdtException}
   */
  CompletableFuture<Route> ofData(InetSocketAddress target);

  /** Whether data goes over UDP behind the first machine on its way. */
  boolean hasDatagrams();

  /**
   * One way.
   *
   * @param first the address that is connected to
   * @param hops what each relay is told, in order, 1 or more
   * @param forget a relay does not know it any more: the next one is to be asked for
   */
  record Route(InetSocketAddress first, List<Hop> hops, Runnable forget) {
    public Route {
      hops = List.copyOf(hops);
    }
  }

  /** A relay's permission to connect to one address. Thread-safe. */
  final class Hop {
    private final SessionId id;
    private final byte[] secret;
    private final boolean overUdp;
    private final AtomicInteger next = new AtomicInteger();

    /**
     * @param secret what connections prove to know, 32 bytes
     * @param overUdp whether it connects over UDP
     */
    public Hop(SessionId id, byte[] secret, boolean overUdp) {
      this.overUdp = overUdp;
      this.id = id;
      this.secret = secret.clone();
    }

    /** Whether the relay connects over UDP. */
    public boolean overUdp() {
      return overUdp;
    }

    /** What the next connection shows; no two are the same. */
    public Join prove() {
      return Join.prove(id, next.getAndIncrement(), secret);
    }
  }
}
