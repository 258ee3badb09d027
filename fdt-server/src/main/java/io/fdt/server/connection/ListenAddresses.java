package io.fdt.server.connection;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.NodeAddress;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.Transport;
import io.fdt.core.unit.AddressText;
import io.fdt.core.wire.control.DataNodes;
import io.fdt.core.wire.stripe.DataNode;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * The listening addresses of a server: one port at each address, and with a range of ports for data
 * another port of that range, at the same addresses, for all data connections.
 *
 * <p>{@link #open} and {@link #close} on one thread; all else is thread-safe once open.
 */
public final class ListenAddresses implements AutoCloseable {
  /** Ports for data connections, both ends included. */
  public record PortRange(int low, int high) {
    public PortRange {
      if (low < 1 || high > 65535 || low > high) {
        throw new IllegalArgumentException("not a range of ports: " + low + "-" + high);
      }
    }

    @Override
    public String toString() {
      return low + "-" + high;
    }
  }

  private final List<InetSocketAddress> wanted;
  private final Optional<PortRange> dataPorts;
  private final List<Transport.Listener> control = new CopyOnWriteArrayList<>();
  private final List<Transport.Listener> data = new CopyOnWriteArrayList<>();

  /**
   * @param hosts addresses or names; empty for all addresses of this machine
   * @param port 0 for any free one
   */
  public ListenAddresses(List<String> hosts, int port, Optional<PortRange> dataPorts) {
    this.wanted =
        hosts.isEmpty()
            ? List.of(new InetSocketAddress(port))
            : hosts.stream().map(host -> new InetSocketAddress(host, port)).distinct().toList();
    this.dataPorts = dataPorts;
  }

  /**
   * Checks that all names have an address.
   *
   * @throws FdtException USAGE otherwise
   */
  public void check() throws FdtException {
    for (InetSocketAddress address : wanted) {
      if (address.isUnresolved()) {
        throw new FdtException(
            ErrorCode.USAGE, "cannot listen on " + address.getHostString() + ": unknown host");
      }
    }
  }

  /** Whether only this machine can reach them. */
  public boolean areLoopback() {
    return wanted.stream()
        .allMatch(one -> !one.isUnresolved() && one.getAddress().isLoopbackAddress());
  }

  /**
   * Starts to listen.
   *
   * @throws FdtException a port is taken or not permitted, an address is not of this machine
   */
  public void open(Transport transport, ListenSettings settings, Acceptor acceptor)
      throws FdtException {
    try {
      if (dataPorts.isPresent()) {
        openData(transport, settings, acceptor, dataPorts.get());
      }
      Acceptor first = data.isEmpty() ? acceptor : new ControlOnly(acceptor, dataPort());
      int port = wanted.get(0).getPort();
      for (InetSocketAddress address : wanted) {
        control.add(
            transport.listen(new InetSocketAddress(address.getAddress(), port), settings, first));
        port = control.get(0).address().getPort();
      }
    } catch (FdtException e) {
      close();
      throw e;
    }
  }

  /** Uses the first port of the range that is free at all addresses. */
  private void openData(
      Transport transport, ListenSettings settings, Acceptor acceptor, PortRange range)
      throws FdtException {
    FdtException last = null;
    for (int port = range.low(); port <= range.high() && data.isEmpty(); port++) {
      if (wanted.get(0).getPort() == port) {
        continue; // of the control connections
      }
      try {
        for (InetSocketAddress address : wanted) {
          data.add(
              transport.listen(
                  new InetSocketAddress(address.getAddress(), port), settings, acceptor));
        }
      } catch (FdtException e) {
        last = e;
        data.forEach(Transport.Listener::close);
        data.clear();
      }
    }
    if (data.isEmpty()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "no port for data in the range "
              + range
              + (last == null ? ": it is the control port" : ": " + last.getMessage()),
          last);
    }
  }

  /** The first one, with the port of control connections. */
  public InetSocketAddress first() {
    return control.get(0).address();
  }

  /** The addresses without their port, with commas in between; "all" for those of this machine. */
  public String text() {
    return wanted.stream().anyMatch(address -> address.getAddress().isAnyLocalAddress())
        ? "all"
        : wanted.stream()
            .map(address -> AddressText.of(address.getAddress().getHostAddress()))
            .collect(Collectors.joining(","));
  }

  /** The port for data connections. */
  public int dataPort() {
    return (data.isEmpty() ? control : data).get(0).address().getPort();
  }

  /** Describes the addresses for data connections to the peer of a session. */
  public DataNodes told(ControlConnection connection, Fingerprint key, List<DataNode> nodes) {
    DataNodes.Builder told = DataNodes.newBuilder().setDataPort(data.isEmpty() ? 0 : dataPort());
    InetAddress from = connection.peerAddress();
    for (InetSocketAddress address : wanted) {
      InetAddress own = address.getAddress();
      if (!own.equals(connection.localAddress()) && mayReach(from, own)) {
        told.addNodes(NodeAddress.of(new InetSocketAddress(own, dataPort()), key));
      }
    }
    return told.addAllNodes(nodes).build();
  }

  /**
   * Whether an address is meaningful to the peer: loopback and link-local addresses mean another
   * machine there.
   */
  static boolean mayReach(InetAddress peer, InetAddress own) {
    if (own.isAnyLocalAddress()) {
      return false;
    }
    if (own.isLoopbackAddress()) {
      return peer.isLoopbackAddress();
    }
    if (own.isLinkLocalAddress()) { // one of IPv6 says nothing without its interface
      return !(own instanceof Inet6Address) && peer.isLinkLocalAddress();
    }
    return true;
  }

  /** Accepts no more connections. Idempotent. */
  public void stopListening() {
    control.forEach(Transport.Listener::stopListening);
    data.forEach(Transport.Listener::stopListening);
  }

  /** Closes all connections. Idempotent. */
  @Override
  public void close() {
    control.forEach(Transport.Listener::close);
    data.forEach(Transport.Listener::close);
  }
}
