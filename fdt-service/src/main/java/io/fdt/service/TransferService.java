package io.fdt.service;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.security.OtherUsers;
import io.fdt.json.Json;
import io.fdt.service.mail.MailServer;
import io.fdt.service.oidc.OidcProvider;
import io.fdt.service.run.Chores;
import io.fdt.service.run.Dispatcher;
import io.fdt.service.run.Endpoints;
import io.fdt.service.run.LinkPaces;
import io.fdt.service.run.Live;
import io.fdt.service.run.LocalServer;
import io.fdt.service.run.Services;
import io.fdt.service.run.Submission;
import io.fdt.service.run.Totals;
import io.fdt.service.store.ClaimStore;
import io.fdt.service.store.Database;
import io.fdt.service.store.DatabaseClock;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.SettingStore;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.Stores;
import io.fdt.service.store.Vault;
import io.fdt.service.store.access.AccessStore;
import io.fdt.service.store.access.AccountStore;
import io.fdt.service.store.access.AuditStore;
import io.fdt.service.store.access.Principal;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Secrets;
import io.fdt.service.web.Web;
import io.fdt.service.web.auth.SignInLinks;
import io.fdt.service.web.auth.UserLimits;
import io.fdt.service.web.http.HttpService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transfer service: its parts, opened in order and closed in reverse order. One process for
 * each home. Any thread.
 */
public final class TransferService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TransferService.class);

  /** The file by which the command finds the service of its user. */
  static final String CONTACT_FILE = "service.json";

  private static final String LOCK_FILE = "lock";
  private static final String ID_FILE = "id";

  /** The label of the token that the command uses; each start creates a new one. */
  private static final String COMMAND_LABEL = "the command of this machine";

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final String user;
  private HttpService http;
  private SignInLinks links;

  private TransferService(String user) {
    this.user = user;
  }

  /**
   * Starts a service; clients may connect when this returns.
   *
   * @param user the user who starts it, the owner of this machine's endpoint
   * @throws FdtException the home is in use, the port is taken, the database cannot be opened, ...
   */
  public static TransferService start(ServiceOptions options, String user, Path userHome)
      throws FdtException {
    return start(options, user, userHome, Clock.systemUTC());
  }

  static TransferService start(ServiceOptions options, String user, Path userHome, Clock machine)
      throws FdtException {
    TransferService service = new TransferService(user);
    boolean isGood = false;
    try {
      service.open(options, userHome, machine);
      isGood = true;
      return service;
    } catch (StoreException e) {
      throw new FdtException(
          ErrorCode.IO, "%s (%s)".formatted(e.getMessage(), Database.shown(options.database())), e);
    } finally {
      if (!isGood) {
        service.close();
      }
    }
  }

  private void open(ServiceOptions options, Path userHome, Clock machine) throws FdtException {
    HomeDirectory home = new HomeDirectory(options.home());
    Vault vault = Vault.open(home); // makes the home, for its user only
    parts.push(lock(home.file(LOCK_FILE)));
    Optional<Path> file = Database.file(options.database());
    if (file.isPresent()) {
      makePrivate(file.get());
      parts.push(lock(file.get().resolveSibling(file.get().getFileName() + ".lock")));
    }
    Database database = Database.open(options.database());
    parts.push(database);
    Clock clock = DatabaseClock.of(database, machine);
    checkKey(new SettingStore(database), vault, home);
    String homeId = homeId(home);
    String process = homeId + "." + Secrets.id();
    Stores stores =
        Stores.of(
            database,
            new ClaimStore.Member(process, homeId, Endpoint.localId(homeId), options.lease()));
    AccessStore access = new AccessStore(database, user);
    Optional<MailServer> mail = mailServer(options);
    LocalServer local =
        LocalServer.start(
            home.file("local"), Endpoint.localId(homeId), user, userHome, options.dialTo());
    parts.push(local);
    Endpoints endpoints =
        new Endpoints(
            stores.endpoints(),
            local,
            vault,
            options.dialTo(),
            options.fdtHome(),
            home.file("probe"));
    parts.push(endpoints);
    Live live = new Live();
    LinkPaces transferLinks = new LinkPaces(stores.links(), clock);
    Totals totals = new Totals();
    Dispatcher dispatcher =
        new Dispatcher(
            stores.tasks(),
            stores.claims(),
            options.lease(),
            endpoints,
            transferLinks,
            totals,
            live,
            clock);
    parts.push(dispatcher);
    Services services =
        new Services(
            stores,
            new AccountStore(database, user),
            new AuditStore(database),
            endpoints,
            new Submission(stores.tasks(), endpoints, clock),
            dispatcher,
            live,
            vault,
            clock);
    links = new SignInLinks(clock);
    http =
        Web.start(
            new Web.Parts(
                services,
                access,
                links,
                new UserLimits(options.requestsPerSecond(), clock),
                options.oidc().map(OidcProvider::new),
                mail.isPresent(),
                totals,
                database::failures,
                homeId),
            new Web.Place(
                options.names(),
                options.listen(),
                options.port(),
                options.proxies(),
                options.url()));
    parts.push(http);
    Chores chores =
        new Chores(services, transferLinks, mail, options.keepTasks(), database.isShared());
    parts.push(chores);
    writeContact(home, homeId, access, clock); // before anything answers there
    http.answer();
    dispatcher.start();
    chores.start();
  }

  private static Optional<MailServer> mailServer(ServiceOptions options) throws FdtException {
    return options.mail().isPresent()
        ? Optional.of(new MailServer(options.mail().get()))
        : Optional.empty();
  }

  private static void checkKey(SettingStore settings, Vault vault, HomeDirectory home)
      throws FdtException {
    if (!settings.agree("key", vault.fingerprint()).equals(vault.fingerprint())) {
      throw new FdtException(
          ErrorCode.USAGE,
          "the database was filled with another key than '%s': copy the file from the home of the service that made it"
              .formatted(home.file("key")));
    }
  }

  /**
   * The id of this home. A copy of the home on another machine has another id, so that two running
   * processes never share one.
   */
  private static String homeId(HomeDirectory home) throws FdtException {
    byte[] stored = home.readIfThere(ID_FILE);
    if (stored == null) {
      stored = Secrets.id().getBytes(StandardCharsets.UTF_8);
      home.replace(ID_FILE, stored);
    }
    String place = new String(stored, StandardCharsets.UTF_8) + hostName() + home.file(ID_FILE);
    return Secrets.hash(place).substring(0, 20);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "";
    }
  }

  private static FileChannel lock(Path file) throws FdtException {
    try {
      FileChannel channel =
          FileChannel.open(file, EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
      FileLock held;
      try {
        held = channel.tryLock();
      } catch (OverlappingFileLockException e) {
        held = null;
      }
      if (held == null) {
        channel.close();
        throw new FdtException(
            ErrorCode.IN_USE,
            "another fdt service uses '%s'; stop it, or choose another --home or --database. Several processes can share PostgreSQL, but not SQLite"
                .formatted(file.getParent()));
      }
      return channel;
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.PERMISSION,
          "cannot lock '%s': %s; choose another --home".formatted(file, HomeDirectory.reason(e)),
          e);
    }
  }

  /** Makes the database private; SQLite gives the files beside it the same rights. */
  private static void makePrivate(Path file) throws FdtException {
    try {
      FileChannel.open(
              file,
              EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
              OtherUsers.allowing("rw-------"))
          .close();
      HomeDirectory.checkPrivate(file);
    } catch (FdtException e) {
      throw e;
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.PERMISSION,
          "cannot write '%s': %s; choose another --home".formatted(file, HomeDirectory.reason(e)),
          e);
    }
  }

  private void writeContact(HomeDirectory home, String homeId, AccessStore access, Clock clock)
      throws FdtException {
    AccessStore.Token token =
        new AccessStore.Token(
            Secrets.id(), user, COMMAND_LABEL, Set.copyOf(Scope.ALL), clock.millis(), 0, "");
    String secret = access.replaceOfHome(token, homeId);
    String contact = Json.text(Map.of("url", url(), "token", secret));
    home.replace(CONTACT_FILE, contact.getBytes(StandardCharsets.UTF_8));
  }

  public String url() {
    return "http://" + http.host() + ":" + http.port() + "/";
  }

  /** A link that signs a browser in, once. */
  public String signInLink() {
    return url() + "#link=" + links.create(new Principal(user, Scope.ALL, "", true));
  }

  /**
   * Accepts no more requests and stops. Transfers between servers continue, and the next start
   * finds them again. Idempotent.
   */
  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) { // the other parts are closed all the same
        LOG.warn("a part of the service did not close reason={}", e.toString());
      }
    }
  }
}
