package io.fdt.client;

import io.fdt.client.transfer.StreamCountCache;
import io.fdt.core.filter.Filters;
import io.fdt.core.model.Ipv6Zone;
import io.fdt.core.model.Tuning;
import io.fdt.core.node.Node;
import io.fdt.core.security.DialRule;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/** The settings of a client. Not thread-safe. */
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
  DialRule rule = DialRule.ANYWHERE;

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
   * The address at which other servers reach this one, if it differs from this client's. Default:
   * the same.
   */
  public B addressForServers(String otherHost, int otherPort) {
    this.hostForServers = Objects.requireNonNull(otherHost, "otherHost");
    this.portForServers = otherPort;
    return self();
  }

  /**
   * Whether this server may connect to the other server of a transfer between two. Default: true;
   * the source connects if it can.
   */
  public B dialsServers(boolean value) {
    this.dialsServers = value;
    return self();
  }

  /**
   * For FDT itself: the addresses to which it connects, of all that the server's name has. Default:
   * all.
   */
  public B rule(DialRule value) {
    this.rule = Objects.requireNonNull(value, "rule");
    return self();
  }

  /** The trusted servers. Default: {@link ServerTrust#sameProcess}. */
  public B trust(ServerTrust value) {
    this.trust = Objects.requireNonNull(value, "trust");
    return self();
  }

  /** The token. Default: none, except for servers of the same process or home. */
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

  /** Filters to run before and after each transfer of files, not for dry runs. Default: none. */
  public B filters(Filters value) {
    this.filters = Objects.requireNonNull(value, "filters");
    return self();
  }

  /**
   * The directory in which auto-tuned transfers store their number of streams for the next transfer
   * to the same server, in the file {@code paths}. Created when missing. Default: nothing is
   * stored.
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

  /** The time after which a silent peer counts as gone. Default: 30 s. */
  public B idleTimeout(Duration timeout) {
    this.deadlines = deadlines.withIdleTimeout(timeout);
    return self();
  }

  /**
   * The time for which a transfer tries to reconnect, also to a restarted server; zero disables it.
   * Default: 5 min.
   */
  public B retryTimeout(Duration timeout) {
    this.deadlines = deadlines.withRetryTimeout(timeout);
    return self();
  }

  /** The longest time without progress while the server answers. Default: 10 min. */
  public B stallTimeout(Duration timeout) {
    this.deadlines = deadlines.withStallTimeout(timeout);
    return self();
  }

  /** Whether data uses UDP (UDT), which the server must accept. Default: TCP. */
  public B udt(boolean value) {
    return dataTransport(value ? DataTransport.UDT : DataTransport.TCP);
  }

  /**
   * The transport of data to the server; with {@link #via}, from the relay on. The relay's own
   * builder sets that of the first part. {@link DataTransport#AUTO} means TCP behind a relay.
   * Default: TCP.
   */
  public B dataTransport(DataTransport value) {
    return transport(value.factory());
  }

  /**
   * TCP congestion control of relays for data on the last part of the route, to and from this
   * server, by their systems' names. A relay without it refuses the route. With {@code auto} each
   * relay tries BBR while packets are lost at random, and keeps it where it is faster, if its
   * system has it. The ends use that of the request. Default: the systems' own.
   *
   * @param name 1 to 15 lower-case letters, digits, {@code -} and {@code _}; empty for the default
   * @throws IllegalArgumentException for any other name
   */
  public B relayCongestion(String name) {
    this.relayCongestion = new Tuning(false, 0, false, name).congestion();
    return self();
  }

  /**
   * Reaches the server through a relay, a server started with {@code --relay}, which may itself be
   * behind another one. Keys and digests are those of the two ends.
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
