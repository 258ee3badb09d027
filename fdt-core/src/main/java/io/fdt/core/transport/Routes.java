package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Routes to peers through relays. Thread-safe. */
public interface Routes {
  /**
   * The addresses of a host as the last relay resolves them. Blocks: not for an event loop.
   *
   * @throws FdtException a relay cannot be reached, or does not connect to that host
   */
  List<InetSocketAddress> addresses(String host, int port) throws FdtException;

  /**
   * The route of control connections to an address.
   *
   * @return fails with an {@link FdtException}
   */
  CompletableFuture<Route> to(InetSocketAddress target);

  /**
   * The route of data connections to an address; parts of it may use UDP.
   *
   * @return fails with an {@link FdtException}
   */
  CompletableFuture<Route> ofData(InetSocketAddress target);

  /** Whether data uses UDP after the first hop. */
  boolean hasDatagrams();

  /**
   * One route.
   *
   * @param first the address to connect to
   * @param hops one for each relay, in order, 1 or more
   * @param forget drops a route that a relay no longer knows
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
     * @param secret whose knowledge connections prove, 32 bytes
     * @param overUdp whether the relay connects over UDP
     */
    public Hop(SessionId id, byte[] secret, boolean overUdp) {
      this.overUdp = overUdp;
      this.id = id;
      this.secret = secret.clone();
    }

    public boolean overUdp() {
      return overUdp;
    }

    /** The proof for the next connection; each is unique. */
    public Join prove() {
      return Join.prove(id, next.getAndIncrement(), secret);
    }
  }
}
