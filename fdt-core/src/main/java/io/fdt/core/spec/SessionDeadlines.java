package io.fdt.core.spec;

import java.time.Duration;

/**
 * How patient one end of a session is.
 *
 * @param idleTimeout a connection on which nothing has come for this long counts as lost, although
 *     the other end is asked several times
 * @param retryTimeout how long a session that has lost its connection waits for another one; zero
 *     ends it at once
 * @param stallTimeout how long a session may go on without any progress while the other end answers
 */
public record SessionDeadlines(Duration idleTimeout, Duration retryTimeout, Duration stallTimeout) {
  /** 30 s, 5 min, 10 min. */
  public static final SessionDeadlines DEFAULT =
      new SessionDeadlines(Duration.ofSeconds(30), Duration.ofMinutes(5), Duration.ofMinutes(10));

  public SessionDeadlines withIdleTimeout(Duration timeout) {
    return new SessionDeadlines(timeout, retryTimeout, stallTimeout);
  }

  public SessionDeadlines withRetryTimeout(Duration timeout) {
    return new SessionDeadlines(idleTimeout, timeout, stallTimeout);
  }

  public SessionDeadlines withStallTimeout(Duration timeout) {
    return new SessionDeadlines(idleTimeout, retryTimeout, timeout);
  }
}
