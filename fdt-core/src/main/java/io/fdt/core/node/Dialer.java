package io.fdt.core.node;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Background;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.Welcome;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * How to reach a listening peer. Immutable.
 *
 * @param tls certificate of this end and authorities of peers
 * @param trust accepts or rejects the peer's key
 * @param credential sent to the peer
 * @param rule allowed addresses
 * @param encryptsData whether data streams are encrypted as well
 * @param connectTimeout for each connection
 * @param deadlines timeouts of a session
 */
public record Dialer(
    Node node,
    String host,
    int port,
    CompletableFuture<ClientTls> tls,
    Trust trust,
    Credential credential,
    DialRule rule,
    boolean encryptsData,
    Duration connectTimeout,
    SessionDeadlines deadlines) {

  /** Decides whether to trust a peer. */
  @FunctionalInterface
  public interface Trust {
    /**
     * Checks a peer that has proven the key of its certificate. May wait for a person.
     *
     * @throws FdtException UNTRUSTED
     */
    void check(String host, int port, List<X509Certificate> certificates) throws FdtException;
  }

  /** Makes the hello of this end. */
  @FunctionalInterface
  public interface Credential {
    /**
     * The hello for a peer with this key, without the name of the program.
     *
     * @throws FdtException the credential cannot be read
     */
    Hello.Builder hello(Fingerprint peer) throws FdtException;
  }

  /**
   * A control connection that has sent its hello.
   *
   * @param peer the address that answered
   * @param key of the peer, proven
   */
  public record Dialed(ControlConnection control, InetSocketAddress peer, Fingerprint key) {}

  /** Longest silence of the peer. */
  public Duration idleTimeout() {
    return deadlines.idleTimeout();
  }

  /**
   * Opens a control connection to the first of the host's addresses that answers ({@link
   * AddressRace}), checks the peer's key, and sends the hello. Blocks: not for an event loop.
   *
   * @param reached receives the first address that answers and its round-trip time (zero when
   *     unknown), before the peer is authenticated; any thread
   */
  public Dialed dial(
      EventLoop loop,
      BiConsumer<InetSocketAddress, Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers)
      throws FdtException {
    return connect(loop, reached, handlers, this::greet);
  }

  private Dialed connect(
      EventLoop loop,
      BiConsumer<InetSocketAddress, Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers,
      Connected connected)
      throws FdtException {
    ClientTls security = Background.join(tls);
    AtomicBoolean isReached = new AtomicBoolean();
    Function<InetSocketAddress, CompletableFuture<SecuredControl>> attempt =
        peer -> {
          Consumer<Duration> answers =
              roundTrip -> {
                if (isReached.compareAndSet(false, true)) {
                  reached.accept(peer, roundTrip);
                }
              };
          return node.transport().dialControl(loop, peer, security, host, answers, handlers);
        };
    try {
      AddressRace.Won<SecuredControl> won = race(loop, attempt, late -> late.control().close());
      return connected.use(won.value(), won.address());
    } catch (InterruptedException e) {
      throw new FdtException(ErrorCode.CANCELLED, "the connection attempt was cancelled", e);
    }
  }

  /** Races all permitted addresses of the host. Blocks. */
  <T> AddressRace.Won<T> race(
      EventLoop loop, Function<InetSocketAddress, CompletableFuture<T>> attempt, Consumer<T> drop)
      throws FdtException, InterruptedException {
    CompletableFuture<AddressRace.Won<T>> race =
        AddressRace.run(loop, allowed(node.addresses(host, port)), attempt, drop);
    try {
      return node.threads().get(race);
    } catch (InterruptedException e) {
      race.cancel(false);
      throw e;
    } catch (ExecutionException e) {
      throw asFdtException(e.getCause());
    }
  }

  private List<InetSocketAddress> allowed(List<InetSocketAddress> all) throws FdtException {
    List<InetSocketAddress> allowed =
        all.stream().filter(address -> rule.allows(address.getAddress())).toList();
    if (allowed.isEmpty()) {
      rule.check(all.get(0).getAddress());
    }
    return allowed;
  }

  /**
   * Checks that the peer is reachable and trusted, without sending a hello. Blocks: not for an
   * event loop.
   *
   * @return the round-trip time of a message; zero when unknown
   * @throws FdtException the reason why not
   */
  public Duration probe(EventLoop loop) throws FdtException {
    AtomicReference<Duration> measured = new AtomicReference<>(Duration.ZERO);
    connect(
        loop,
        (peer, roundTrip) -> {},
        connection -> {
          throw new IllegalStateException("unexpected message on a probe");
        },
        (secured, peer) -> {
          measured.set(secured.control().roundTrip());
          secured.control().close();
          trust.check(host, port, secured.certificates());
          return null;
        });
    return measured.get();
  }

  /** Uses an open connection. */
  private interface Connected {
    Dialed use(SecuredControl secured, InetSocketAddress peer) throws FdtException;
  }

  private Dialed greet(SecuredControl secured, InetSocketAddress peer) throws FdtException {
    ControlConnection control = secured.control();
    try {
      trust.check(host, port, secured.certificates());
      Fingerprint key = Fingerprint.of(secured.certificates());
      Hello hello = credential.hello(key).setSoftware(Software.name()).build();
      secured.begin().run();
      control.send(Control.newBuilder().setHello(hello).build());
      return new Dialed(control, peer, key);
    } catch (FdtException e) {
      control.close();
      throw e;
    }
  }

  /**
   * Why data cannot reach a server with this welcome over the chosen transport; empty when it can.
   */
  Optional<FdtException> refusal(Welcome welcome) {
    return welcome.getRefusesUdp() ? UdpReach.refusal(this) : Optional.empty();
  }

  /** TLS of data streams; empty for clear ones. */
  Optional<ClientTls> dataTls() {
    return encryptsData ? Optional.of(tls.join()) : Optional.empty();
  }

  /** Any failure as an FdtException. */
  static FdtException asFdtException(Throwable cause) {
    return cause instanceof FdtException known
        ? known
        : FdtException.unforeseen("connecting failed", cause);
  }
}
