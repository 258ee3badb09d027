package io.fdt.cli.option.access;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.CongestionOption;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.TransportOption;
import io.fdt.cli.option.route.ViaOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Whom a client trusts, and what it shows of itself. Immutable.
 *
 * @param fingerprint the key that the server must have
 * @param acceptNew whether to take a server unseen that was never met
 * @param authority certificates of who must have signed the server's
 * @param certificate the client's own, with {@code key}
 * @param tokenFile holds the token to show
 * @param encrypt whether data is encrypted too
 * @param transport how data travels
 * @param congestion that of each part of the way
 * @param retryTimeout how long to look for a server whose connection was lost
 * @param via the relays on the way to the server
 */
public record ClientAccess(
    Optional<String> fingerprint,
    boolean acceptNew,
    Optional<Path> authority,
    Optional<Path> certificate,
    Optional<Path> key,
    Optional<Path> tokenFile,
    boolean encrypt,
    TransportOption transport,
    CongestionOption congestion,
    Duration retryTimeout,
    ViaOptions via) {

  /** The same, with another token. */
  public ClientAccess withTokenFile(Optional<Path> file) {
    return new ClientAccess(
        fingerprint,
        acceptNew,
        authority,
        certificate,
        key,
        file,
        encrypt,
        transport,
        congestion,
        retryTimeout,
        via);
  }

  /** The same, which trusts a server that was never met. */
  public ClientAccess acceptingNew() {
    return new ClientAccess(
        fingerprint,
        true,
        authority,
        certificate,
        key,
        tokenFile,
        encrypt,
        transport,
        congestion,
        retryTimeout,
        via);
  }

  /** The same for a server that has this key, or one that is known. */
  public ClientAccess withFingerprint(Optional<String> other) {
    return new ClientAccess(
        other,
        acceptNew,
        authority,
        certificate,
        key,
        tokenFile,
        encrypt,
        transport,
        congestion,
        retryTimeout,
        via);
  }

  /** The same, for a server that is reached directly. */
  public ClientAccess withoutVia() {
    return withVia(ViaOptions.NONE);
  }

  /** The same, with another way to the server. */
  public ClientAccess withVia(ViaOptions way) {
    return new ClientAccess(
        fingerprint,
        acceptNew,
        authority,
        certificate,
        key,
        tokenFile,
        encrypt,
        transport,
        congestion,
        retryTimeout,
        way);
  }

  /** The same for a server that has this key, unless another one is asked for. */
  public ClientAccess orFingerprint(Optional<String> other) {
    return fingerprint.isPresent() || authority.isPresent() ? this : withFingerprint(other);
  }

  /** The same, with the fingerprint that stands in a connect string. */
  public ClientAccess withFingerprintOf(Location.Remote location) throws UsageException {
    if (location.fingerprint().isEmpty()) {
      return this;
    }
    if (fingerprint.isPresent() && !fingerprint.equals(location.fingerprint())) {
      throw new UsageException("two fingerprints for one server; give one");
    }
    return withFingerprint(location.fingerprint());
  }
}
