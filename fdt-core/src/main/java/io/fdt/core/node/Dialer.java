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
 * How to reach one peer that listens. Immutable.
 *
 * @param tls what this end shows, and to whom it talks within TLS
 * @param trust to whom it talks at all
 * @param credential what it shows to the peer
 * @param rule to which addresses it connects
 * @param encryptsData whether data streams are encrypted as well
 * @param connectTimeout for each connection
 * @param deadlines how patient a session is
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

  /** Decides whom to talk to. */
  @FunctionalInterface
  public interface Trust {
    /**
     * Checks a peer that has proven to have the key of its certificate. May wait for a person.
     *
     * @throws FdtException UNTRUSTED unless it is one to talk to
     */
    void check(String host, int port, List<X509Certificate> certificates) throws FdtException;
  }

  /** Makes the hello of this end. */
  @FunctionalInterface
  public interface Credential {
    /**
     * What this end shows to a peer with this key; without the name of the program.
     *
     * @throws FdtException the credential cannot be read
     */
    Hello.Builder hello(Fingerprint peer) throws FdtException;
  }

  /**
   * A control connection that has said hello.
   *
   * @param peer the address that answered
   * @param key who it has proven to be
   */
  public record Dialed(ControlConnection control, InetSocketAddress peer, Fingerprint key) {}

  /** How long the peer may be silent. */
  public Duration idleTimeout() {
    return deadlines.idleTimeout();
  }

  /**
   * Opens a control connection to the first of the host's addresses that answers ({@link
   * AddressRace}), makes sure that it is a peer to talk to, and says hello. Blocks: not for an
   * event loop.
   *
   * @param reached hears of the first address that answers, and how long a round trip to it took
   *     (zero when the system does not say), before it is known who that is; any thread
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
      throw new FdtException(ErrorCode.CANCELLED, "no longer wanted", e);
    }
  }

  /** Tries all addresses of the host to which it may connect. Blocks. */
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
   * Finds out whether the peer can be reached and is one to talk to; says nothing to it. Blocks:
   * not for an event loop.
   *
   * @return how long a message and its answer take; zero where the system does not say
   * @throws FdtException why it cannot
   */
  public Duration probe(EventLoop loop) throws FdtException {
    AtomicReference<Duration> measured = new AtomicReference<>(Duration.ZERO);
    connect(
        loop,
        (peer, roundTrip) -> {},
        connection -> {
          throw new IllegalStateException("nobody speaks on a probe");
        },
        (secured, peer) -> {
          measured.set(secured.control().roundTrip());
          secured.control().close();
          trust.check(host, port, secured.certificates());
          return null;
        });
    return measured.get();
  }

  /** What is done with a connection that has come about. */
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

  /** Why data cannot go to a server that says this, the way it is to go; empty where it can. */
  Optional<FdtException> refusal(Welcome welcome) {
    return welcome.getRefusesUdp() ? UdpReach.refusal(this) : Optional.empty();
  }

  /** Within what data streams are; empty for clear ones. */
  Optional<ClientTls> dataTls() {
    return encryptsData ? Optional.of(tls.join()) : Optional.empty();
  }

  /** What went wrong, for whoever waits. */
  static FdtException asFdtException(Throwable cause) {
    return cause instanceof FdtException known
        ? known
        : FdtException.unforeseen("connecting failed", cause);
  }
}
