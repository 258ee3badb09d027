package io.fdt.service.web.auth;

import io.fdt.core.error.FdtException;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Filter;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.time.Clock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits for one user: requests per second on average, with a burst of four seconds; concurrent
 * requests; news streams.
 *
 * <p>Anonymous clients are counted by network, as are wrong secrets, which are refused without a
 * query of the database, and the bytes after a refusal. Each request in progress holds a thread:
 * users together hold at most {@link #MOST_OF_USERS}, anonymous clients {@link #MOST_OF_STRANGERS}.
 * Any thread.
 */
public final class UserLimits implements Filter {
  /** The path that is always answered, because monitors poll it often. */
  public static final String HEALTH = "/healthz";

  /** The most concurrent requests of one user, including those that wait for a task. */
  static final int MOST_AT_ONCE = 32;

  /** The most concurrent requests of all users: 100 that wait for tasks, and 100 others. */
  public static final int MOST_OF_USERS = 200;

  /**
   * The most concurrent requests of all anonymous clients; they wait at most for an identity
   * provider.
   */
  public static final int MOST_OF_STRANGERS = 32;

  /** The most concurrent requests of the anonymous clients of one network. */
  static final int MOST_OF_NETWORK = 16;

  /** The most news streams of one user: one for each browser tab. */
  static final int MOST_STREAMS = 8;

  private static final int RESERVE_SECONDS = 4;

  /** The most wrong secrets of one network, per second on average. */
  static final int FAILURES_PER_SECOND = 5;

  /** The most bytes of refused bodies of one network to read and drop, per second on average. */
  public static final int DROPPED_PER_SECOND = 16 << 20;

  /** The same for all networks together. Cost: reading, no memory. */
  static final int ALL_DROPPED_PER_SECOND = 64 << 20;

  /** The most tracked networks. Memory: about 200 bytes each. */
  private static final int MOST_NETWORKS = 10_000;

  private static final String ALL_NETWORKS = "";

  private final int perSecond;
  private final Clock clock;
  private final Map<String, Account> accounts = new HashMap<>();
  private final Map<String, Account> networks = bounded();
  private final Map<String, Bucket> failures = bounded();
  private final Map<String, Bucket> drops = bounded();
  private final Account users = new Account(null);
  private final Account strangers = new Account(null);

  /** A token bucket. */
  private static final class Bucket {
    final int perSecond;
    double left;
    long atMillis;

    Bucket(int perSecond, long now) {
      this.perSecond = perSecond;
      this.left = (double) perSecond * RESERVE_SECONDS;
      this.atMillis = now;
    }

    double left(long now) {
      double earned = Math.max(0, now - atMillis) / 1000.0 * perSecond;
      left = Math.min((double) perSecond * RESERVE_SECONDS, left + earned);
      atMillis = now;
      return left;
    }
  }

  private static final class Account {
    final Bucket requests;
    int running;
    int streams;

    Account(Bucket requests) {
      this.requests = requests;
    }
  }

  /** Evicts the least recently used network. */
  private static <T> Map<String, T> bounded() {
    return new LinkedHashMap<>(16, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
        return size() > MOST_NETWORKS;
      }
    };
  }

  /**
   * Limits of these sizes.
   *
   * @param perSecond requests of one user
   */
  public UserLimits(int perSecond, Clock clock) {
    this.perSecond = perSecond;
    this.clock = clock;
  }

  /** A permit, released at the end of a request or of a stream. */
  public interface Permit extends AutoCloseable {
    @Override
    void close();
  }

  /** {@inheritDoc} A user's request counts from here on, because bodies of users are long. */
  @Override
  public void onHeaders(RequestContext request) throws ServiceException {
    if (request.user() != null) {
      request.atEnd(enter(request.owner())::close);
    } else if (isLimited(request)) {
      countStranger(request.network());
    }
  }

  @Override
  public Reply onBody(RequestContext request, Route.Handler next)
      throws ServiceException, FdtException, InterruptedException {
    if (request.user() == null && isLimited(request)) {
      request.atEnd(enterStranger(request.network())::close);
    }
    return next.handle(request);
  }

  private static boolean isLimited(RequestContext request) {
    return !request.route().template().equals(HEALTH);
  }

  /**
   * Admits a request.
   *
   * @throws ServiceException TOO_MANY, with the seconds to wait as "retry_after"
   */
  synchronized Permit enter(String owner) throws ServiceException {
    Account account = account(accounts, owner);
    count(account);
    return enter(account, MOST_AT_ONCE, users, MOST_OF_USERS);
  }

  /**
   * Counts a request of an anonymous client; {@link #enterStranger} admits it once its body has
   * arrived.
   */
  synchronized void countStranger(String network) throws ServiceException {
    count(account(networks, network));
  }

  /** Admits a request of an anonymous client. */
  synchronized Permit enterStranger(String network) throws ServiceException {
    return enter(account(networks, network), MOST_OF_NETWORK, strangers, MOST_OF_STRANGERS);
  }

  private void count(Account account) throws ServiceException {
    if (account.requests.left(clock.millis()) < 1) {
      throw tooMany("you send more than %d requests per second".formatted(perSecond));
    }
    account.requests.left--;
  }

  private Permit enter(Account account, int most, Account all, int mostOfAll)
      throws ServiceException {
    if (account.running >= most) {
      throw tooMany("%d of your requests are being answered".formatted(most));
    }
    if (all.running >= mostOfAll) {
      throw tooMany("%d requests are being answered".formatted(mostOfAll));
    }
    account.running++;
    all.running++;
    return () -> leave(account, all);
  }

  /**
   * Refuses a network that has sent too many wrong secrets. A limit for all networks together would
   * only lock users out, because a secret has 256 bits and cannot be guessed.
   *
   * @throws ServiceException TOO_MANY
   */
  public synchronized void checkFailures(String network) throws ServiceException {
    if (failures(network).left(clock.millis()) < 1) {
      throw tooMany("too many wrong tokens or links");
    }
  }

  /** Counts a wrong secret. */
  public synchronized void failed(String network) {
    Bucket bucket = failures(network);
    bucket.left = Math.max(0, bucket.left(clock.millis()) - 1);
  }

  private Bucket failures(String network) {
    return failures.computeIfAbsent(
        network, any -> new Bucket(FAILURES_PER_SECOND, clock.millis()));
  }

  /** Takes bytes of a refused body from the budgets; false if one is exhausted. */
  public synchronized boolean mayDrop(String network, long bytes) {
    Bucket own = drops(network, DROPPED_PER_SECOND);
    Bucket all = drops(ALL_NETWORKS, ALL_DROPPED_PER_SECOND);
    long now = clock.millis();
    if (own.left(now) < bytes || all.left(now) < bytes) {
      return false;
    }
    own.left -= bytes;
    all.left -= bytes;
    return true;
  }

  private Bucket drops(String network, int most) {
    return drops.computeIfAbsent(network, any -> new Bucket(most, clock.millis()));
  }

  private synchronized void leave(Account account, Account all) {
    account.running--;
    all.running--;
  }

  /** Admits a stream of news. */
  public synchronized Permit stream(String owner) throws ServiceException {
    Account account = account(accounts, owner);
    if (account.streams >= MOST_STREAMS) {
      throw tooMany("%d of your clients watch already".formatted(MOST_STREAMS));
    }
    account.streams++;
    return () -> endOfStream(account);
  }

  private synchronized void endOfStream(Account account) {
    account.streams--;
  }

  private Account account(Map<String, Account> all, String name) {
    return all.computeIfAbsent(name, any -> new Account(new Bucket(perSecond, clock.millis())));
  }

  private static ServiceException tooMany(String message) {
    return new ServiceException(
        Fault.TOO_MANY, message + "; try again in a second", Map.of("retry_after", 1L));
  }
}
