package io.fdt.core.spec;

import java.time.Duration;

/**
 * The timeouts of one end of a session.
 *
 * @param idleTimeout a connection counts as lost when nothing has arrived for this long, although
 *     the peer was pinged
 * @param retryTimeout how long a session waits for a new connection; zero ends it at once
 * @param stallTimeout how long a session may go on without progress while the peer answers
 */
public record SessionDeadlines(Duration idleTimeout, Duration retryTimeout, Duration stallTimeout) {
  /** Idle 30 s, retry 5 min, stall 10 min. */
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
