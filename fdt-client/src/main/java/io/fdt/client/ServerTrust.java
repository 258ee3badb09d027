package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.security.ClientTls;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.HomeDirectory;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KnownHosts;
import io.fdt.core.security.LocalServerRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The servers that a client trusts.
 *
 * <p>A server with the key of the client's own home, or in its own process, is always trusted,
 * except with a pinned fingerprint or an authority. Any thread.
 */
public final class ServerTrust {
  /** Decides about an unknown server. May ask the user, on the calling thread. */
  @FunctionalInterface
  public interface FirstContact {
    /** Refuses unknown servers. */
    FirstContact REFUSE = (host, port, fingerprint) -> false;

    /** Accepts an unknown server, and stores its key. */
    FirstContact ACCEPT = (host, port, fingerprint) -> true;

    boolean accept(String host, int port, String fingerprint);

    /**
     * An accepted server could not be stored; this client keeps its key in memory.
     *
     * @param reason one line: why, and what to do
     */
    default void notRemembered(String host, int port, String reason) {}
  }

  private static final String TOKEN_FILE = "token";

  private final Optional<Fingerprint> pinned;
  private final Optional<Path> authority;
  private final Optional<HomeDirectory> home;
  private final FirstContact firstContact;

  /** Keys of accepted servers that could not be stored, by HOST:PORT. */
  private final Map<String, Fingerprint> accepted = new ConcurrentHashMap<>();

  private ServerTrust(
      Optional<Fingerprint> pinned,
      Optional<Path> authority,
      Optional<Path> home,
      FirstContact firstContact) {
    this.pinned = pinned;
    this.authority = authority;
    this.home = home.map(HomeDirectory::new);
    this.firstContact = firstContact;
  }

  /**
   * The client's side of TLS.
   *
   * @param certificates of the client, with {@code key}; null for none
   */
  ClientTls tls(Path certificates, Path key) throws FdtException {
    return new ClientTls(
        authority.isPresent() ? Identity.authorities(authority.get()) : List.of(),
        certificates == null ? Optional.empty() : Optional.of(Identity.ofFiles(certificates, key)));
  }

  /** Servers of this process only. The default. */
  public static ServerTrust sameProcess() {
    return new ServerTrust(Optional.empty(), Optional.empty(), Optional.empty(), null);
  }

  /**
   * Known servers, as in ssh.
   *
   * @param home with their keys; also the home of this user's own server
   */
  public static ServerTrust knownHosts(Path home, FirstContact firstContact) {
    return new ServerTrust(Optional.empty(), Optional.empty(), Optional.of(home), firstContact);
  }

  /**
   * The one server with this key.
   *
   * @param fingerprint "SHA256:..." as the server prints it
   * @throws IllegalArgumentException with one line on the form of a fingerprint
   */
  public static ServerTrust pinned(String fingerprint) {
    return new ServerTrust(
        Optional.of(Fingerprint.parse(fingerprint)), Optional.empty(), Optional.empty(), null);
  }

  /**
   * Servers with a certificate of an authority for the client's host name.
   *
   * @param certificates a file with the certificates (PEM) of the authority
   */
  public static ServerTrust authority(Path certificates) {
    return new ServerTrust(Optional.empty(), Optional.of(certificates), Optional.empty(), null);
  }

  /** A copy that also uses the token of the user's own server in this home. */
  public ServerTrust withHome(Path ownHome) {
    return new ServerTrust(pinned, authority, Optional.of(ownHome), firstContact);
  }

  /**
   * Checks a server that has proven the key of its certificate. May wait for the user.
   *
   * @throws FdtException UNTRUSTED
   */
  void check(String host, int port, List<X509Certificate> certificates) throws FdtException {
    Fingerprint shown = Fingerprint.of(certificates);
    String server = server(host, port);
    if (pinned.isPresent()) {
      if (!pinned.get().equals(shown)) {
        throw untrusted(
            "%s is not the requested server: it presents %s, expected %s"
                .formatted(server, shown, pinned.get()));
      }
      return;
    }
    boolean isOwn = LocalServerRegistry.tokenOf(shown).isPresent() || isOfHome(shown);
    if (isOwn || authority.isPresent()) {
      return; // the handshake has checked the authority
    }
    if (home.isEmpty() || firstContact == null) {
      throw unknown(server, shown);
    }
    checkKnown(host, port, server, shown);
  }

  /**
   * The required key of a server.
   *
   * @throws FdtException UNTRUSTED for an unknown server, if none is given
   */
  Fingerprint keyOf(String host, int port) throws FdtException {
    Optional<Fingerprint> known =
        pinned.isPresent() || home.isEmpty() ? pinned : new KnownHosts(home.get()).find(host, port);
    return known.orElseThrow(
        () ->
            untrusted(
                "the key of %s is not known: add %s with the fingerprint from its administrator"
                    .formatted(server(host, port), Setting.FINGERPRINT)));
  }

  private void checkKnown(String host, int port, String server, Fingerprint shown)
      throws FdtException {
    KnownHosts hosts = new KnownHosts(home.get());
    Fingerprint before = accepted.get(server);
    Optional<Fingerprint> known = before == null ? hosts.find(host, port) : Optional.of(before);
    if (known.isPresent()) {
      if (!known.get().equals(shown)) {
        throw untrusted(
            ("THE SERVER HAS CHANGED: %s presents %s, but had %s; a machine on the path may"
                    + " impersonate it. If the change was meant, remove its line from %s")
                .formatted(server, shown, known.get(), hosts.file()));
      }
      return;
    }
    if (!firstContact.accept(host, port, shown.toString())) {
      throw unknown(server, shown);
    }
    try {
      hosts.add(host, port, shown);
    } catch (FdtException e) {
      accepted.put(server, shown);
      firstContact.notRemembered(host, port, e.getMessage());
    }
  }

  private static FdtException unknown(String server, Fingerprint shown) {
    return untrusted(
        ("Unknown server %s. It presents %s. To trust it now, add %s; if its administrator gave you"
                + " the same, add %s or use %s")
            .formatted(
                server,
                shown,
                Setting.ACCEPT_NEW,
                Setting.FINGERPRINT.with("SHA256:..."),
                Setting.LOGIN.with(server)));
  }

  private static FdtException untrusted(String message) {
    return new FdtException(ErrorCode.UNTRUSTED, message);
  }

  private static String server(String host, int port) {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  /** The token of the user's own server, only for that server. */
  private Optional<String> ownToken(Fingerprint shown) throws FdtException {
    Optional<String> ofProcess = LocalServerRegistry.tokenOf(shown);
    if (ofProcess.isPresent()) {
      return ofProcess.filter(token -> !token.isEmpty());
    }
    if (!isOfHome(shown)) {
      return Optional.empty();
    }
    return Optional.ofNullable(home.get().readIfThere(TOKEN_FILE))
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8).strip());
  }

  /**
   * The token for a server that has proven this key: that of the user's login, or of the user's own
   * server.
   */
  Optional<String> tokenFor(String host, int port, Fingerprint shown) throws FdtException {
    Optional<String> login =
        home.isEmpty() ? Optional.empty() : new Logins(home.get()).token(host, port, shown);
    return login.isPresent() ? login : ownToken(shown);
  }

  private boolean isOfHome(Fingerprint shown) throws FdtException {
    if (home.isEmpty()) {
      return false;
    }
    try {
      return Identity.isOfHome(home.get(), shown);
    } catch (FdtException e) {
      if (e.code() == ErrorCode.PERMISSION) {
        return false; // another user's
      }
      throw e;
    }
  }
}
