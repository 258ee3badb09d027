package io.fdt.service.store.access;

import java.util.Set;

/**
 * The user of a request, and its rights. Immutable.
 *
 * @param token the id of the token of the request; empty for the user who started the service and
 *     for users of an identity provider. Tokens and sign-ins created with it end with it
 * @param byCookie whether a browser sent it by itself
 */
public record Principal(String owner, Set<Scope> scopes, String token, boolean byCookie) {
  public Principal {
    scopes = Set.copyOf(scopes);
  }
}
