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
 * Trust, credentials and route of a client. Immutable.
 *
 * @param fingerprint the key that the server must have
 * @param acceptNew whether to trust an unknown server
 * @param authority certificates of the authority of the server
 * @param certificate the client's own, with {@code key}
 * @param tokenFile the file of the token
 * @param encrypt whether data is encrypted too
 * @param transport of data, on each part of the route
 * @param congestion control, on each part of the route
 * @param retryTimeout how long to reconnect after a lost connection
 * @param via the relays to the server
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
    return with(fingerprint, acceptNew, file, transport, via);
  }

  /** The same, which trusts an unknown server. */
  public ClientAccess acceptingNew() {
    return with(fingerprint, true, tokenFile, transport, via);
  }

  /** The same with another key; empty for a known one. */
  public ClientAccess withFingerprint(Optional<String> other) {
    return with(other, acceptNew, tokenFile, transport, via);
  }

  /** The same without relays. */
  public ClientAccess withoutVia() {
    return withVia(ViaOptions.NONE);
  }

  /** The same with other relays. */
  public ClientAccess withVia(ViaOptions way) {
    return with(fingerprint, acceptNew, tokenFile, transport, way);
  }

  /** The same with a key, unless a key or an authority is given. */
  public ClientAccess orFingerprint(Optional<String> other) {
    return fingerprint.isPresent() || authority.isPresent() ? this : withFingerprint(other);
  }

  /** The same with the fingerprint of a location. */
  public ClientAccess withFingerprintOf(Location.Remote location) throws UsageException {
    if (location.fingerprint().isEmpty()) {
      return this;
    }
    if (fingerprint.isPresent() && !fingerprint.equals(location.fingerprint())) {
      throw new UsageException("two fingerprints for one server; give one");
    }
    return withFingerprint(location.fingerprint());
  }

  /** The same with another transport of data. */
  public ClientAccess withTransport(TransportOption other) {
    return with(fingerprint, acceptNew, tokenFile, other, via);
  }

  private ClientAccess with(
      Optional<String> key,
      boolean trustsNew,
      Optional<Path> file,
      TransportOption ofData,
      ViaOptions way) {
    return new ClientAccess(
        key,
        trustsNew,
        authority,
        certificate,
        this.key,
        file,
        encrypt,
        ofData,
        congestion,
        retryTimeout,
        way);
  }
}
