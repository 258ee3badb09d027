package io.fdt.service.run;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.Logins;
import io.fdt.client.RemoteHost;
import io.fdt.client.ServerTrust;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.security.AddressRange;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KnownHosts;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.EndpointStore;
import io.fdt.service.store.Vault;
import io.fdt.service.task.Task;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The endpoints of users, this machine included, and clients for them. Any thread. */
public final class Endpoints implements AutoCloseable {
  /** The time for which a transfer tries to reach a lost server, before that counts as a fault. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How long an idle client is kept. */
  private static final Duration IDLE = Duration.ofMinutes(2);

  private final ClientPool pool = new ClientPool(IDLE);
  private final EndpointStore store;
  private final LocalServer local;
  private final Vault vault;
  private final DialRule forOperator;
  private final DialRule forOthers;
  private final Path fdtHome;
  private final Path probeHome;

  /**
   * The endpoints of one service.
   *
   * @param dialTo ranges of allowed addresses; by default, this machine is allowed only for the
   *     user of this process
   * @param fdtHome with tokens and known hosts of the user of this process
   * @param probeHome an empty home: a server probed with it is always unknown
   */
  public Endpoints(
      EndpointStore store,
      LocalServer local,
      Vault vault,
      List<String> dialTo,
      Path fdtHome,
      Path probeHome) {
    this.store = store;
    this.local = local;
    this.vault = vault;
    this.forOperator = rule(dialTo, true);
    this.forOthers = rule(dialTo, false);
    this.fdtHome = fdtHome;
    this.probeHome = probeHome;
  }

  public List<Endpoint> list(String owner) {
    List<Endpoint> all = new ArrayList<>();
    if (isOperator(owner)) {
      all.add(local.endpoint());
    }
    all.addAll(store.list(owner));
    return all;
  }

  /** An endpoint of a user, by its name or its id. */
  public Endpoint find(String owner, String name) throws ServiceException {
    if (isLocal(name) && isOperator(owner)) {
      return local.endpoint();
    }
    return store
        .find(owner, name)
        .orElseThrow(
            () ->
                Fault.NOT_FOUND.of(
                    "there is no endpoint '%s'; see: fdt endpoint list".formatted(name)));
  }

  public boolean isThisMachine(String id) {
    return id.equals(local.endpoint().id());
  }

  private boolean isLocal(String name) {
    return name.equals(Endpoint.LOCAL) || name.equals(local.endpoint().id());
  }

  /** The most concurrent tasks of each endpoint, by its id. */
  Map<String, Integer> mostTasks() {
    Map<String, Integer> all = store.mostTasks();
    all.put(local.endpoint().id(), local.endpoint().maxTasks());
    return all;
  }

  private static DialRule rule(List<String> dialTo, boolean isOperator) {
    return dialTo.isEmpty()
        ? DialRule.usual(isOperator)
        : DialRule.only(dialTo.stream().map(AddressRange::parse).toList());
  }

  /**
   * The addresses of a host that a user has named; see {@link DialRule#resolve}.
   *
   * @throws ServiceException ADDRESS when the rule excludes any of its addresses; ENDPOINT for an
   *     unknown host
   */
  public List<InetAddress> resolve(String owner, String host) throws ServiceException {
    try {
      return rule(owner).resolve(host);
    } catch (UnknownHostException e) {
      throw Fault.ENDPOINT.of("unknown host '" + host + "'");
    } catch (FdtException e) {
      throw Fault.ADDRESS.of(Setting.asOptions(e.getMessage()));
    }
  }

  private DialRule rule(String owner) {
    return isOperator(owner) ? forOperator : forOthers;
  }

  /** Whether this user has started the service. */
  public boolean isOperator(String owner) {
    return owner.equals(local.endpoint().owner());
  }

  /**
   * A client for an endpoint. The caller returns it.
   *
   * @throws ServiceException the rule forbids its address
   * @throws FdtException its token cannot be decrypted
   */
  public ClientPool.Lent client(Endpoint endpoint, boolean encrypt)
      throws ServiceException, FdtException {
    if (endpoint.isLocal()) {
      ClientPool.Key key =
          new ClientPool.Key(
              endpoint.host(), endpoint.port(), endpoint.fingerprint(), "local", encrypt);
      return pool.lend(
          key,
          System.nanoTime(),
          () ->
              FdtClient.builder(endpoint.host())
                  .port(endpoint.port())
                  .trust(ServerTrust.pinned(endpoint.fingerprint()))
                  .token(AccessToken.of(local.token()))
                  .encryptData(encrypt)
                  .retryTimeout(PATIENCE)
                  .build());
    }
    String token = endpoint.token().isEmpty() ? "" : vault.decrypt(endpoint.token(), endpoint.id());
    resolve(endpoint.owner(), endpoint.host());
    ClientPool.Key key =
        new ClientPool.Key(
            endpoint.host(),
            endpoint.port(),
            endpoint.fingerprint() + (isOperator(endpoint.owner()) ? " or of the home" : ""),
            token.isEmpty() ? "" : Secrets.hash(token),
            encrypt);
    return pool.<ServiceException>lend(
        key,
        System.nanoTime(),
        () ->
            builder(endpoint.owner(), endpoint.host(), endpoint.port(), token)
                .trust(trust(endpoint.owner(), endpoint.fingerprint()))
                .encryptData(encrypt)
                .retryTimeout(PATIENCE)
                .build());
  }

  /** The origin of the token for an endpoint: stored, login, home or none; see {@link #client}. */
  public String tokenFrom(Endpoint endpoint) {
    if (!endpoint.token().isEmpty()) {
      return "stored";
    }
    if (endpoint.isLocal()) {
      return "home";
    }
    try {
      if (!isOperator(endpoint.owner())) {
        return "none";
      }
      boolean hasLogin =
          new Logins(fdtHome)
              .all().stream()
                  .filter(Logins.Known::hasToken)
                  .filter(known -> known.fingerprint().equals(endpoint.fingerprint()))
                  .anyMatch(known -> known.address().equalsIgnoreCase(endpoint.address()));
      HomeDirectory home = new HomeDirectory(fdtHome);
      return hasLogin
          ? "login"
          : Identity.isOfHome(home, Fingerprint.parse(endpoint.fingerprint())) ? "home" : "none";
    } catch (FdtException e) {
      return "none"; // its clients cannot read the home either
    }
  }

  @FunctionalInterface
  public interface Work<T> {
    T run(FdtClient client) throws FdtException, InterruptedException;
  }

  /**
   * Runs work with a client of an endpoint.
   *
   * @throws ServiceException the endpoint refuses, or cannot be reached
   */
  public <T> T at(Endpoint endpoint, Work<T> work) throws ServiceException, InterruptedException {
    try (ClientPool.Lent lent = client(endpoint, false)) {
      return work.run(lent.client());
    } catch (FdtException e) {
      throw refusal(e);
    }
  }

  /** Connects to the first address that answers, of those that were checked in that moment. */
  private FdtClient.Builder builder(String owner, String host, int port, String token)
      throws ServiceException {
    FdtClient.Builder builder = FdtClient.builder(host).port(port).rule(rule(owner));
    if (!token.isEmpty()) {
      try {
        builder.token(AccessToken.of(token));
      } catch (IllegalArgumentException e) {
        throw Fault.INVALID.of(e.getMessage());
      }
    }
    return builder;
  }

  private ServerTrust trust(String owner, String fingerprint) throws ServiceException {
    try {
      ServerTrust pinned = ServerTrust.pinned(fingerprint);
      return isOperator(owner) ? pinned.withHome(fdtHome) : pinned;
    } catch (IllegalArgumentException e) {
      throw Fault.INVALID.of("fingerprint: " + e.getMessage());
    }
  }

  /**
   * The result of a check.
   *
   * @param fingerprint the key of the server
   */
  public record Checked(String fingerprint, RemoteHost host) {}

  /**
   * Checks that a server is reachable, has the expected key, and accepts this user.
   *
   * @param fingerprint the key that it must have; empty when the user has not named one
   * @throws ServiceException UNTRUSTED, with the key as "fingerprint", when it is unknown; ENDPOINT
   *     for all other reasons of the server
   */
  public Checked check(String owner, String host, int port, String fingerprint, String token)
      throws ServiceException, InterruptedException {
    String key = fingerprint.isEmpty() ? knownKey(owner, host, port) : fingerprint;
    AtomicReference<String> shown = new AtomicReference<>("");
    ServerTrust trust =
        key.isEmpty()
            ? ServerTrust.knownHosts(
                probeHome,
                (name, number, print) -> {
                  shown.set(print);
                  return false;
                })
            : trust(owner, key);
    resolve(owner, host);
    try (FdtClient client =
        builder(owner, host, port, token).trust(trust).retryTimeout(Duration.ZERO).build()) {
      return new Checked(key, client.describeServer());
    } catch (FdtException e) {
      if (e.code() == ErrorCode.UNTRUSTED && !shown.get().isEmpty()) {
        throw new ServiceException(
            Fault.UNTRUSTED,
            "the server at %s:%d presents %s; if its administrator gave you the same, add it with that fingerprint"
                .formatted(host, port, shown.get()),
            Map.of("fingerprint", shown.get()));
      }
      throw refusal(e);
    }
  }

  /**
   * Checks that a stored endpoint is usable, like {@link #check} before it is stored.
   *
   * @throws ServiceException it is not
   */
  public RemoteHost check(Endpoint endpoint) throws ServiceException, InterruptedException {
    if (endpoint.isLocal()) {
      return at(endpoint, FdtClient::describeServer);
    }
    String token;
    try {
      token = endpoint.token().isEmpty() ? "" : vault.decrypt(endpoint.token(), endpoint.id());
    } catch (FdtException e) {
      throw refusal(e);
    }
    return check(endpoint.owner(), endpoint.host(), endpoint.port(), endpoint.fingerprint(), token)
        .host();
  }

  /** Checks a stored endpoint. */
  Endpoint.Health health(Endpoint endpoint, Clock clock) throws InterruptedException {
    try {
      return health(check(endpoint), clock.millis());
    } catch (ServiceException e) {
      return Endpoint.Health.of(clock.millis(), e);
    }
  }

  /** The health of an endpoint whose server has described itself. */
  public static Endpoint.Health health(RemoteHost host, long now) {
    boolean isReadOnly =
        !host.exports().isEmpty()
            && host.exports().stream().noneMatch(RemoteHost.Reachable::writable);
    return new Endpoint.Health(now, "", false, isReadOnly);
  }

  private String knownKey(String owner, String host, int port) {
    if (!isOperator(owner)) {
      return "";
    }
    try {
      return new KnownHosts(new HomeDirectory(fdtHome))
          .find(host, port)
          .map(Object::toString)
          .orElse("");
    } catch (FdtException e) {
      return ""; // then the user is asked
    }
  }

  /** The failure of an endpoint, as the refusal of a request. */
  public static ServiceException refusal(FdtException e) {
    Fault fault = e.code() == ErrorCode.NOT_FOUND ? Fault.NOT_FOUND : Fault.ENDPOINT;
    return new ServiceException(
        fault, message(e.code(), e.getMessage()), Map.of("code", e.code().name()));
  }

  /** A message in which an address of the ends follows the name of its endpoint. */
  static String named(String message, Endpoint from, Endpoint to) {
    boolean isOne = address(from).equals(address(to));
    if (isOne && !from.name().equals(to.name())) {
      return message; // which of both is not known
    }
    return isOne ? named(message, from) : named(named(message, from), to);
  }

  private static String named(String message, Endpoint endpoint) {
    String address = address(endpoint);
    return message.replaceFirst(
        "(?<![\\w.:-])" + Pattern.quote(address) + "(?!\\d)",
        Matcher.quoteReplacement(named(endpoint)));
  }

  /** The name and the address of an endpoint. */
  static String named(Endpoint endpoint) {
    return endpoint.name() + " (" + address(endpoint) + ")";
  }

  private static String address(Endpoint endpoint) {
    return endpoint.host() + ":" + endpoint.port();
  }

  /**
   * A message in words of the command, without the answer of another program: the service does not
   * expose hosts that only its machine can reach.
   */
  static String message(ErrorCode code, String message) {
    return Setting.asOptions(
        code == ErrorCode.NOT_FDT ? message.replaceFirst("(?s): '.*'", "") : message);
  }

  /** Has the endpoints of a task checked soon, after a failure that says that one is not usable. */
  void lookAgain(Task task, ErrorCode cause, long now) {
    if (cause == ErrorCode.UNREACHABLE || cause == ErrorCode.UNAUTHENTICATED) {
      store.lookAgain(task, now);
    }
  }

  /** Closes idle clients. */
  void sweep() {
    pool.sweep(System.nanoTime());
  }

  /** Closes all clients. Idempotent. */
  @Override
  public void close() {
    pool.close();
  }
}
