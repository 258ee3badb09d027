package io.fdt.server;

import io.fdt.core.filter.FileAccess;
import io.fdt.core.filter.Filters;
import io.fdt.core.model.Ipv6Zone;
import io.fdt.core.node.Node;
import io.fdt.core.security.AddressRange;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.Transport;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.connection.ListenAddresses;
import io.fdt.server.relay.Relay;
import io.fdt.server.spool.Spool;
import io.fdt.udt.transport.UdtTransport;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Collects the settings of a server. Not thread-safe. */
public final class FdtServerBuilder {
  final List<Export> exports = new ArrayList<>();
  int port = FdtServer.DEFAULT_PORT;
  boolean trustsOwnProcess = true;
  boolean takesThirdParty = true;
  List<AddressRange> dialTo;
  boolean relays;
  List<AddressRange> relayTo;
  List<String> offeredRelays = List.of();
  Spool spool;
  List<String> bind = List.of();
  ListenAddresses.PortRange dataPorts;
  boolean stopAfterLastClient;
  Path home;
  Path certificates;
  Path key;
  Path clientAuthority;
  Export.Access anonymous;
  Path allowedAddresses;
  InetSocketAddress metrics;
  InetSocketAddress http;
  Consumer<FileAccess> accessLog;
  boolean requireEncryption;
  Filters filters = Filters.NONE;
  boolean allowPrivileged;
  boolean allowSharedExports;
  SessionDeadlines deadlines = SessionDeadlines.DEFAULT;
  ServerLimits limits = ServerLimits.DEFAULT;
  Transport.Factory transport = Node.TCP;
  FrontEnd frontEnd;

  FdtServerBuilder() {}

  /** Adds an export; at least one is needed. */
  public FdtServerBuilder export(Export export) {
    exports.add(Objects.requireNonNull(export));
    return this;
  }

  /** The port; 0 for any free one. Default: {@link FdtServer#DEFAULT_PORT}. */
  public FdtServerBuilder port(int port) {
    this.port = port;
    return this;
  }

  /** The address to listen on. Default: all. */
  public FdtServerBuilder bind(String address) {
    return bind(List.of(address));
  }

  /**
   * The addresses to listen on, all with the same port: data streams are spread over them. Default:
   * all addresses of this machine; then a client uses only the address that it connects to.
   */
  public FdtServerBuilder bind(List<String> addresses) {
    this.bind = addresses.stream().map(Ipv6Zone::plain).toList();
    return this;
  }

  /**
   * The ports for data connections, of which the server uses one; its other port then accepts only
   * control connections. Default: one port for all.
   *
   * @param low 1 or more
   * @param high at most 65535
   */
  public FdtServerBuilder dataPorts(int low, int high) {
    this.dataPorts = new ListenAddresses.PortRange(low, high);
    return this;
  }

  /** Whether to stop after the last client. Default: false. */
  public FdtServerBuilder stopAfterLastClient(boolean value) {
    this.stopAfterLastClient = value;
    return this;
  }

  /**
   * The directory with the identity and the tokens of the server. Default: none; each start creates
   * new ones.
   */
  public FdtServerBuilder home(Path directory) {
    this.home = Objects.requireNonNull(directory, "directory");
    return this;
  }

  /**
   * Whether clients of this process trust the server and use its token by default. Default: true.
   */
  public FdtServerBuilder trustOwnProcess(boolean value) {
    this.trustsOwnProcess = value;
    return this;
  }

  /**
   * The identity issued by a CA. Default: a self-signed one.
   *
   * @param certificateFile the certificate and its chain, PEM
   * @param keyFile its private key, PEM (PKCS#8 without a password)
   */
  public FdtServerBuilder certificate(Path certificateFile, Path keyFile) {
    this.certificates = Objects.requireNonNull(certificateFile, "certificateFile");
    this.key = Objects.requireNonNull(keyFile, "keyFile");
    return this;
  }

  /**
   * Accepts clients without a token, too. Default: no.
   *
   * @param access their rights; read-only exports remain read-only
   */
  public FdtServerBuilder anonymous(Export.Access access) {
    this.anonymous = Objects.requireNonNull(access, "access");
    return this;
  }

  /** Filters, which run before and after each transfer of files, except dry runs. Default: none. */
  public FdtServerBuilder filters(Filters value) {
    this.filters = Objects.requireNonNull(value, "filters");
    return this;
  }

  /** Accepts only sessions with encrypted data. Default: false. */
  public FdtServerBuilder requireEncryption(boolean value) {
    this.requireEncryption = value;
    return this;
  }

  /**
   * Lets clients set owners, special bits of modes and extended attributes of the system, as far as
   * the process may, and read the latter. A client that writes with root's rights can become root.
   * Default: false.
   */
  public FdtServerBuilder allowPrivileged(boolean value) {
    this.allowPrivileged = value;
    return this;
  }

  /**
   * Also exposes directories of Windows that other users of this machine may change, and so lead
   * clients elsewhere. Without effect on other systems. Default: false.
   */
  public FdtServerBuilder allowSharedExports(boolean value) {
    this.allowSharedExports = value;
    return this;
  }

  /**
   * Accepts connections from listed addresses only. Default: from all.
   *
   * @param file one address, range (192.0.2.0/24) or host name per line
   */
  public FdtServerBuilder allowedAddresses(Path file) {
    this.allowedAddresses = Objects.requireNonNull(file, "file");
    return this;
  }

  /**
   * Accepts only clients with a certificate signed by an authority. Default: clients need none.
   *
   * @param file the certificates of the authority, PEM
   */
  public FdtServerBuilder clientAuthority(Path file) {
    this.clientAuthority = Objects.requireNonNull(file, "file");
    return this;
  }

  /** The time after which a silent peer counts as gone. Default: 30 s. */
  public FdtServerBuilder idleTimeout(Duration timeout) {
    this.deadlines = deadlines.withIdleTimeout(timeout);
    return this;
  }

  /**
   * The time for which a session waits for its client after a lost connection; zero ends it at
   * once. Default: 5 min.
   */
  public FdtServerBuilder retryTimeout(Duration timeout) {
    this.deadlines = deadlines.withRetryTimeout(timeout);
    return this;
  }

  /** The longest time without progress while the client answers. Default: 10 min. */
  public FdtServerBuilder stallTimeout(Duration timeout) {
    this.deadlines = deadlines.withStallTimeout(timeout);
    return this;
  }

  /**
   * Serves metrics for Prometheus, over HTTP at /metrics; any host that reaches the address can
   * read them, including names of exports and tokens. Default: none.
   *
   * @param address port 0 for any free one
   */
  public FdtServerBuilder metrics(InetSocketAddress address) {
    this.metrics = Objects.requireNonNull(address, "address");
    return this;
  }

  /**
   * Also serves the exports over HTTPS (WebDAV), to the same clients, by {@code fdt-webdav.jar}
   * beside the jar of the server. Default: none.
   *
   * @param address port 0 for any free one
   */
  public FdtServerBuilder http(InetSocketAddress address) {
    this.http = Objects.requireNonNull(address, "address");
    return this;
  }

  /**
   * Takes an entry for each file that clients fetch, bring, read or remove. Default: none.
   *
   * @param value called on the threads of transfers, which wait for it
   */
  public FdtServerBuilder accessLog(Consumer<FileAccess> value) {
    this.accessLog = Objects.requireNonNull(value, "value");
    return this;
  }

  /** The limits of clients. Default: {@link ServerLimits#DEFAULT}. */
  public FdtServerBuilder limits(ServerLimits value) {
    this.limits = Objects.requireNonNull(value, "value");
    return this;
  }

  /** Whether clients may direct transfers between this server and others. Default: true. */
  public FdtServerBuilder thirdParty(boolean value) {
    this.takesThirdParty = value;
    return this;
  }

  /**
   * The addresses to which this server connects for such transfers. Default: all but loopback,
   * link-local, multicast and unspecified ones; loopback too when the server listens only there.
   *
   * @param ranges addresses and ranges: 192.0.2.7, 192.0.2.0/24, 2001:db8::/32
   * @throws IllegalArgumentException for any other text
   */
  public FdtServerBuilder dialTo(List<String> ranges) {
    this.dialTo = ranges.stream().map(AddressRange::parse).toList();
    return this;
  }

  /**
   * Whether this server relays connections of clients with a token to other servers. Default:
   * false.
   */
  public FdtServerBuilder relay(boolean value) {
    this.relays = value;
    return this;
  }

  /**
   * The directory in which this relay stores files that clients hand over for other servers, until
   * their delivery; created if missing. Default: none.
   *
   * @param size limit of all files together; may be exceeded by the bytes of half a second
   */
  public FdtServerBuilder spool(Path directory, ByteSize size) {
    this.spool = new Spool(directory, size);
    return this;
  }

  /**
   * The addresses to which this server relays. Default: as for {@link #dialTo}.
   *
   * @param ranges addresses and ranges: 192.0.2.7, 192.0.2.0/24, 2001:db8::/32
   * @throws IllegalArgumentException for any other text
   */
  public FdtServerBuilder relayTo(List<String> ranges) {
    this.relayTo = ranges.stream().map(AddressRange::parse).toList();
    return this;
  }

  /**
   * Relays offered to clients as faster routes to this server. Default: none.
   *
   * @param relays HOST:PORT, or HOST:PORT?fingerprint=SHA256:... with the key of the relay; at most
   *     16
   */
  public FdtServerBuilder offerRelays(List<String> relays) {
    if (relays.size() > Relay.MOST_OFFERED) {
      throw new IllegalArgumentException("more than " + Relay.MOST_OFFERED + " relays");
    }
    this.offeredRelays = List.copyOf(relays);
    return this;
  }

  /**
   * Makes this server a data node: it reads, writes and transports data for the sessions of another
   * server, which has the same files under the same export names. Default: none.
   */
  public FdtServerBuilder join(FrontEnd value) {
    this.frontEnd = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * Whether the server also accepts data over UDP (UDT), on the same port number. Default: false.
   */
  public FdtServerBuilder udp(boolean value) {
    this.transport = value ? UdtTransport.TCP_AND_UDP : Node.TCP;
    return this;
  }

  /** For tests of FDT itself: the transport. Default: TCP. */
  public FdtServerBuilder transport(Transport.Factory value) {
    this.transport = Objects.requireNonNull(value, "transport");
    return this;
  }

  public FdtServer build() {
    if (exports.isEmpty() && !relays) {
      throw new IllegalArgumentException("no export");
    }
    if (frontEnd != null && limits.hasRate()) {
      throw new IllegalArgumentException(
          "a data node has no limit of its own: limit the rate at its front end");
    }
    if (http != null && !filters.isEmpty()) {
      throw new IllegalArgumentException("filters see no requests over HTTP: use one of the two");
    }
    if (http != null && stopAfterLastClient) {
      throw new IllegalArgumentException(
          "a server with an HTTP port does not stop after its last client: use one of the two");
    }
    return new FdtServer(this);
  }
}
