package io.fdt.service.store.access;

import java.util.Set;

/**
 * The user of a request, and what it may do. Immutable.
 *
 * @param token the id of the token with which it came here; empty for the user who has started the
 *     service and for those of an identity provider. What it makes ends with that token
 * @param byCookie whether a browser sent it by itself
 */
public record Principal(String owner, Set<Scope> scopes, String token, boolean byCookie) {
  public Principal {
    scopes = Set.copyOf(scopes);
  }
}
