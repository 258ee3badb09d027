package io.fdt.service.web.auth;

import io.fdt.service.store.access.Principal;
import io.fdt.service.value.Secrets;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Links that sign a browser in, each once and within a quarter of an hour. Kept in memory only: a
 * restart ends them. Any thread.
 */
public final class SignInLinks {
  private static final long LIFE_MILLIS = Duration.ofMinutes(15).toMillis();

  /** The most links of one user; beyond that, the oldest one is dropped. */
  private static final int MOST = 10;

  private record Link(Principal user, long expires) {}

  private final Clock clock;
  private final Map<String, Link> links = new HashMap<>();

  public SignInLinks(Clock clock) {
    this.clock = clock;
  }

  /**
   * Creates a secret with the current rights of a user. It is used after the # of the URL, so that
   * no log and no other site gets it.
   */
  public synchronized String create(Principal user) {
    long now = clock.millis();
    links.values().removeIf(link -> link.expires <= now);
    List<String> own =
        links.entrySet().stream()
            .filter(link -> link.getValue().user.owner().equals(user.owner()))
            .sorted(Comparator.comparingLong(link -> link.getValue().expires))
            .map(Map.Entry::getKey)
            .toList();
    if (own.size() >= MOST) {
      links.remove(own.get(0));
    }
    String secret = Secrets.secret("");
    links.put(Secrets.hash(secret), new Link(user, now + LIFE_MILLIS));
    return secret;
  }

  /** Uses up a link, and returns its user. */
  public synchronized Optional<Principal> use(String secret) {
    Link link = links.remove(Secrets.hash(secret));
    return link == null || link.expires <= clock.millis()
        ? Optional.empty()
        : Optional.of(
            new Principal(link.user.owner(), link.user.scopes(), link.user.token(), true));
  }
}
