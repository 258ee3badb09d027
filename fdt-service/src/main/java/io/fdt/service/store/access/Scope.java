package io.fdt.service.store.access;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Rights of a token. */
public enum Scope {
  /** Look at tasks and endpoints, and list directories. */
  READ,
  /** Submit tasks, change them, and make or remove files. */
  TASKS,
  /** Add and remove endpoints. */
  ENDPOINTS,
  /** Make and revoke one's own tokens. */
  TOKENS,
  /** Read the figures of the whole service. */
  METRICS,
  /** Manage users and their tokens, and read the audit log. */
  ADMIN;

  public static final Set<Scope> ALL = Set.copyOf(EnumSet.allOf(Scope.class));

  /** The name in requests. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads stored scopes: names separated by commas. */
  static Set<Scope> parse(String stored) {
    return Arrays.stream(stored.split(","))
        .filter(name -> !name.isEmpty())
        .map(Scope::valueOf)
        .collect(Collectors.toUnmodifiableSet());
  }

  static String stored(Set<Scope> scopes) {
    return scopes.stream().map(Scope::name).sorted().collect(Collectors.joining(","));
  }
}
