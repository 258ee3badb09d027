package io.fdt.service.web;

import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;

/**
 * How much one user may ask, so that nobody keeps the service from the others: requests per second
 * on average, with a reserve for four seconds; requests at once; and streams of news. Any thread.
 */
public final class UserLimits {
  /** Requests of one user that are being answered; one that waits for a task is one, too. */
  static final int MOST_AT_ONCE = 32;

  /** Streams of news of one user: one for each tab of a browser. */
  static final int MOST_STREAMS = 8;

  private static final int RESERVE_SECONDS = 4;

  private final int perSecond;
  private final Clock clock;
  private final Map<String, Account> accounts = new HashMap<>();

  private static final class Account {
    double left;
    long atMillis;
    int running;
    int streams;
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

  /** What is given back at the end of a request. */
  interface Permit extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Lets a request in.
   *
   * @throws ServiceException TOO_MANY, with the seconds to wait as "retry_after"
   */
  synchronized Permit enter(String owner) throws ServiceException {
    Account account = account(owner);
    if (account.left < 1) {
      throw tooMany("you send more than %d requests per second".formatted(perSecond));
    }
    if (account.running >= MOST_AT_ONCE) {
      throw tooMany("%d of your requests are being answered".formatted(MOST_AT_ONCE));
    }
    account.left--;
    account.running++;
    return () -> leave(account);
  }

  private synchronized void leave(Account account) {
    account.running--;
  }

  /** Lets a stream of news begin. */
  synchronized Permit stream(String owner) throws ServiceException {
    Account account = account(owner);
    if (account.streams >= MOST_STREAMS) {
      throw tooMany("%d of your clients watch already".formatted(MOST_STREAMS));
    }
    account.streams++;
    return () -> endOfStream(account);
  }

  private synchronized void endOfStream(Account account) {
    account.streams--;
  }

  private Account account(String owner) {
    long now = clock.millis();
    double reserve = (double) perSecond * RESERVE_SECONDS;
    Account account =
        accounts.computeIfAbsent(
            owner,
            name -> {
              Account fresh = new Account();
              fresh.left = reserve;
              fresh.atMillis = now;
              return fresh;
            });
    double earned = Math.max(0, now - account.atMillis) / 1000.0 * perSecond;
    account.left = Math.min(reserve, account.left + earned);
    account.atMillis = now;
    return account;
  }

  private static ServiceException tooMany(String message) {
    return new ServiceException(
        Fault.TOO_MANY, message + "; try again in a second", Map.of("retry_after", 1L));
  }
}
