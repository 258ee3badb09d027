package io.fdt.service.store.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The rights of a user. A token may have fewer. */
public enum Role {
  /** All rights, also for other users. */
  ADMIN,
  /** Own tasks, endpoints and tokens. */
  USER,
  /** Own tasks and endpoints, read-only. */
  READER;

  /** The scopes that a token of such a user may have. */
  public Set<Scope> scopes() {
    return switch (this) {
      case ADMIN -> Scope.ALL;
      case USER -> Set.of(Scope.READ, Scope.TASKS, Scope.ENDPOINTS, Scope.TOKENS);
      case READER -> Set.of(Scope.READ);
    };
  }

  /** The name in requests. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The role of a name; empty for an unknown one. */
  public static Optional<Role> ofText(String text) {
    return Arrays.stream(values()).filter(role -> role.text().equals(text)).findFirst();
  }
}
