package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * The SHA-256 of a server's public key, as text that people can compare and paste.
 *
 * <p>It covers the key and not the certificate, so that it survives a renewal of the certificate.
 * Immutable.
 */
public final class Fingerprint {
  private static final String PREFIX = "SHA256:";
  private static final int LENGTH = 32;

  private final byte[] digest;

  private Fingerprint(byte[] digest) {
    this.digest = digest;
  }

  public static Fingerprint of(PublicKey key) {
    try {
      return new Fingerprint(MessageDigest.getInstance("SHA-256").digest(key.getEncoded()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * The fingerprint with this digest, as {@link #digest} gives it.
   *
   * @throws IllegalArgumentException when it is not 32 bytes
   */
  public static Fingerprint ofDigest(byte[] digest) {
    if (digest.length != LENGTH) {
      throw new IllegalArgumentException("a digest of " + digest.length + " bytes");
    }
    return new Fingerprint(digest.clone());
  }

  /** SHA-256 of the key, 32 bytes. */
  public byte[] digest() {
    return digest.clone();
  }

  /**
   * The fingerprint of a peer's first certificate.
   *
   * @throws FdtException UNTRUSTED when there is none
   */
  public static Fingerprint of(List<X509Certificate> certificates) throws FdtException {
    if (certificates.isEmpty()) {
      throw new FdtException(
          ErrorCode.UNTRUSTED, "the server presents no certificate; check that FDT listens there");
    }
    return of(certificates.get(0).getPublicKey());
  }

  /**
   * Parses "SHA256:" and the base64 of 32 bytes, in either alphabet, with or without padding.
   *
   * @throws IllegalArgumentException with one line that describes a fingerprint
   */
  public static Fingerprint parse(String text) {
    if (text.startsWith(PREFIX)) {
      String base64 =
          text.substring(PREFIX.length()).replace('+', '-').replace('/', '_').replace("=", "");
      byte[] digest = decoded(base64);
      if (digest.length == LENGTH) {
        return new Fingerprint(digest);
      }
    }
    throw new IllegalArgumentException(
        "'"
            + text
            + "' is not a fingerprint: write SHA256: and 43 characters, as the server prints it");
  }

  private static byte[] decoded(String base64) {
    try {
      return Base64.getUrlDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Fingerprint that && MessageDigest.isEqual(digest, that.digest);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(digest);
  }

  /** In the URL-safe alphabet. */
  @Override
  public String toString() {
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
  }
}
