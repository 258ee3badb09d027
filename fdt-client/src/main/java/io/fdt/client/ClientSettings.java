package io.fdt.client;

import io.fdt.core.filter.Filters;
import io.fdt.core.model.Ipv6Zone;
import io.fdt.core.model.Tuning;
import io.fdt.core.node.Node;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/** What a client is told before it is made. Not thread-safe. */
abstract class ClientSettings<B extends ClientSettings<B>> {
  final String host;
  int port = FdtClient.DEFAULT_PORT;
  FdtClient.Builder relay;
  String hostForServers;
  int portForServers;
  boolean dialsServers = true;
  ServerTrust trust = ServerTrust.sameProcess();
  AccessToken token;
  boolean encryptsData;
  StreamCountCache memory;
  Filters filters = Filters.NONE;
  Path certificates;
  Path key;
  Duration connectTimeout = Duration.ofSeconds(10);
  SessionDeadlines deadlines = SessionDeadlines.DEFAULT;
  Transport.Factory transport = Node.TCP;
  String relayCongestion = "";

  ClientSettings(String host) {
    this.host = Ipv6Zone.plain(host);
  }

  abstract B self();

  /** Default: {@link FdtClient#DEFAULT_PORT}. */
  public B port(int port) {
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
    }
    this.port = port;
    return self();
  }

  /**
   * Where other servers reach this one, when that is not where this client does. Default: the same
   * place.
   */
  public B addressForServers(String otherHost, int otherPort) {
    this.hostForServers = Objects.requireNonNull(otherHost, "otherHost");
    this.portForServers = otherPort;
    return self();
  }

  /**
   * Whether this server may connect to the other one of a transfer between two. Default: true; the
   * source connects if it can.
   */
  public B dialsServers(boolean value) {
    this.dialsServers = value;
    return self();
  }

  /** Which servers to trust. Default: {@link ServerTrust#sameProcess}. */
  public B trust(ServerTrust value) {
    this.trust = Objects.requireNonNull(value, "trust");
    return self();
  }

  /** The token. Default: none, but servers of the same process or home get their own. */
  public B token(AccessToken value) {
    this.token = Objects.requireNonNull(value, "token");
    return self();
  }

  /**
   * A client certificate, for servers that require one. Default: none.
   *
   * @param certificateFile the certificate and its chain, PEM
   * @param keyFile its private key, PEM (PKCS#8 without a password)
   */
  public B certificate(Path certificateFile, Path keyFile) {
    this.certificates = Objects.requireNonNull(certificateFile, "certificateFile");
    this.key = Objects.requireNonNull(keyFile, "keyFile");
    return self();
  }

  /** Whether data is encrypted, as control always is. Default: false; data is checksummed. */
  public B encryptData(boolean value) {
    this.encryptsData = value;
    return self();
  }

  /** Filters, which run before and after each transfer of files, not dry runs. Default: none. */
  public B filters(Filters value) {
    this.filters = Objects.requireNonNull(value, "filters");
    return self();
  }

  /**
   * The directory in which auto-tuned transfers store the number of streams that they found, for
   * the next transfer to the same server: in the file {@code paths}. Created when missing. Default:
   * nothing is stored.
   */
  public B rememberPaths(Path directory) {
    this.memory = new StreamCountCache(directory);
    return self();
  }

  /** The timeout for connecting. Default: 10 s. */
  public B connectTimeout(Duration timeout) {
    this.connectTimeout = timeout;
    return self();
  }

  /** How long a silent peer counts as connected. Default: 30 s. */
  public B idleTimeout(Duration timeout) {
    this.deadlines = deadlines.withIdleTimeout(timeout);
    return self();
  }

  /**
   * How long a transfer tries to reconnect, also to a restarted server; zero: not at all. Default:
   * 5 min.
   */
  public B retryTimeout(Duration timeout) {
    this.deadlines = deadlines.withRetryTimeout(timeout);
    return self();
  }

  /** How long a transfer may make no progress while the server answers. Default: 10 min. */
  public B stallTimeout(Duration timeout) {
    this.deadlines = deadlines.withStallTimeout(timeout);
    return self();
  }

  /** Whether data goes over UDP, with UDT, which the server must take. Default: TCP. */
  public B udt(boolean value) {
    return dataTransport(value ? DataTransport.UDT : DataTransport.TCP);
  }

  /**
   * How data reaches the server: with {@link #via}, from the relay on. That to the relay is what
   * the relay's builder says. {@link DataTransport#AUTO} is TCP behind a relay. Default: TCP.
   */
  public B dataTransport(DataTransport value) {
    return transport(value.factory());
  }

  /**
   * TCP congestion control with which relays send data on the part of the way that ends at this
   * server, in both directions, as their systems call it. A relay that does not have it refuses the
   * route. With {@code auto} each relay tries BBR while packets get lost by chance, and keeps it
   * where it carries more, if its system has it. The ends take that of the request. Default: what
   * the systems take by themselves.
   *
   * @param name 1 to 15 lower-case letters, digits, {@code -} and {@code _}; empty for the default
   * @throws IllegalArgumentException it is no such name
   */
  public B relayCongestion(String name) {
    this.relayCongestion = new Tuning(false, 0, false, name).congestion();
    return self();
  }

  /**
   * Reaches the server through a relay: a server that was started with {@code --relay}, perhaps
   * through another one. Keys and digests are those of the two ends.
   */
  public B via(FdtClient.Builder value) {
    this.relay = Objects.requireNonNull(value, "relay");
    return self();
  }

  /** For tests of FDT itself: the transport, without {@link #via}. Default: TCP. */
  public B transport(Transport.Factory value) {
    this.transport = Objects.requireNonNull(value, "transport");
    return self();
  }
}
