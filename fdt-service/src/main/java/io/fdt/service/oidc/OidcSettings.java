package io.fdt.service.oidc;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The identity provider, and the claims to use. Immutable.
 *
 * @param issuer its address, as in its tokens
 * @param client the id of this service there
 * @param secret of the client; empty for a public one
 * @param nameClaim the claim that becomes the name of a user
 * @param groupsClaim the claim with groups or roles; dots lead into objects
 * @param adminGroup its members are admins; empty for none
 * @param memberGroup its members may sign in; empty for all
 */
public record OidcSettings(
    URI issuer,
    String client,
    String secret,
    String nameClaim,
    String groupsClaim,
    String adminGroup,
    String memberGroup) {
  private static final String ISSUER = "--oidc-issuer";
  private static final String CLIENT = "--oidc-client";
  private static final String SECRET_FILE = "--oidc-secret-file";
  private static final String NAME_CLAIM = "--oidc-name-claim";
  private static final String GROUPS_CLAIM = "--oidc-groups-claim";
  private static final String ADMIN_GROUP = "--oidc-admin-group";
  private static final String GROUP = "--oidc-group";

  /** The options, each with one value. */
  public static final List<String> OPTIONS =
      List.of(ISSUER, CLIENT, SECRET_FILE, NAME_CLAIM, GROUPS_CLAIM, ADMIN_GROUP, GROUP);

  /**
   * Reads options.
   *
   * @param options the values of the given ones of {@link #OPTIONS}
   * @return empty without an issuer
   * @throws FdtException USAGE with one line that describes the error
   */
  public static Optional<OidcSettings> of(Map<String, String> options) throws FdtException {
    if (!options.containsKey(ISSUER)) {
      Optional<String> alone = OPTIONS.stream().filter(options::containsKey).findFirst();
      if (alone.isPresent()) {
        throw usage(alone.get() + " needs " + ISSUER);
      }
      return Optional.empty();
    }
    if (options.getOrDefault(CLIENT, "").isEmpty()) {
      throw usage(ISSUER + " needs " + CLIENT + ", the name of this service at the provider");
    }
    return Optional.of(
        new OidcSettings(
            issuer(options.get(ISSUER)),
            options.get(CLIENT),
            secret(options.getOrDefault(SECRET_FILE, "")),
            options.getOrDefault(NAME_CLAIM, "preferred_username"),
            options.getOrDefault(GROUPS_CLAIM, "groups"),
            options.getOrDefault(ADMIN_GROUP, ""),
            options.getOrDefault(GROUP, "")));
  }

  private static URI issuer(String text) throws FdtException {
    try {
      URI uri = URI.create(text);
      if (isSafe(uri) && uri.getQuery() == null && uri.getFragment() == null) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // The same error as for a URL of another scheme.
    }
    throw usage(ISSUER + ": '" + text + "' is not of the form https://HOST/PATH");
  }

  /** Whether the connection is protected: by TLS, or within this machine. */
  static boolean isSafe(URI uri) {
    if (uri.getHost() == null || uri.getUserInfo() != null) {
      return false;
    }
    return "https".equals(uri.getScheme())
        || ("http".equals(uri.getScheme())
            && List.of("127.0.0.1", "localhost", "[::1]").contains(uri.getHost()));
  }

  private static String secret(String file) throws FdtException {
    if (file.isEmpty()) {
      return "";
    }
    try {
      String secret = Files.readString(Path.of(file), StandardCharsets.UTF_8).strip();
      if (secret.isEmpty()) {
        throw usage(SECRET_FILE + ": '" + file + "' is empty; write the client's secret into it");
      }
      return secret;
    } catch (IOException e) {
      throw usage(
          SECRET_FILE + ": '" + file + "' cannot be read: " + IoReason.of(e) + "; allow it");
    }
  }

  private static FdtException usage(String message) {
    return new FdtException(ErrorCode.USAGE, message);
  }

  /** The settings without the secret. */
  @Override
  public String toString() {
    return "OidcSettings[" + issuer + ", " + client + "]";
  }
}
