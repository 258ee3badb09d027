package io.fdt.service.web;

import io.fdt.service.store.Principal;
import io.fdt.service.store.Scope;
import io.fdt.service.value.Secrets;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Links that sign a browser in, each once and within a quarter of an hour. Kept in memory only: a
 * restart ends them. Any thread.
 */
public final class SignInLinks {
  private static final long LIFE_MILLIS = Duration.ofMinutes(15).toMillis();
  private static final int MOST = 100;

  private record Link(String owner, long expires) {}

  private final Clock clock;
  private final Map<String, Link> links = new HashMap<>();

  public SignInLinks(Clock clock) {
    this.clock = clock;
  }

  /**
   * A secret for a user. It goes behind the # of the address, so that no log and no other site gets
   * it.
   */
  public synchronized String create(String owner) {
    long now = clock.millis();
    links.values().removeIf(link -> link.expires <= now);
    if (links.size() >= MOST) {
      links.clear(); // whoever still wants one asks again
    }
    String secret = Secrets.secret("");
    links.put(Secrets.hash(secret), new Link(owner, now + LIFE_MILLIS));
    return secret;
  }

  /** The user of a link, which is of no use any more. */
  synchronized Optional<Principal> use(String secret) {
    Link link = links.remove(Secrets.hash(secret));
    return link == null || link.expires <= clock.millis()
        ? Optional.empty()
        : Optional.of(new Principal(link.owner, Scope.ALL, true));
  }
}
