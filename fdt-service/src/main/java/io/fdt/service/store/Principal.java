package io.fdt.service.store;

import java.util.Set;

/**
 * The user of a request, and what it may do. Immutable.
 *
 * @param byCookie whether a browser sent it by itself
 */
public record Principal(String owner, Set<Scope> scopes, boolean byCookie) {
  public Principal {
    scopes = Set.copyOf(scopes);
  }
}
