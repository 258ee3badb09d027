package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A private key and its certificates, its own first, as presented in TLS. Immutable. */
public record Identity(PrivateKey key, List<X509Certificate> chain) {
  /** Key and certificates of the home's server. */
  private static final String FILE = "identity.pem";

  /** Fingerprints of the home's servers whose certificates are stored elsewhere, one a line. */
  private static final String OWN_SERVERS = "own_servers";

  /** Allows for wrong clocks. */
  private static final Duration BACKDATED = Duration.ofDays(1);

  public Identity {
    chain = List.copyOf(chain);
    if (chain.isEmpty()) {
      throw new IllegalArgumentException("no certificate");
    }
  }

  /** A new key with a self-signed certificate. */
  public static Identity generate() {
    SecureRandom random = new SecureRandom();
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      KeyPair keys = generator.generateKeyPair();
      Instant notBefore = Instant.now().minus(BACKDATED);
      return new Identity(
          keys.getPrivate(),
          List.of(SelfSigned.certificate(keys, "FDT server", notBefore, random)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has EC P-256", e);
    }
  }

  /** The identity of a home, created when missing. */
  public static Identity ofHome(HomeDirectory home) throws FdtException {
    byte[] text = home.readOrMake(FILE, () -> generate().toPem());
    String file = home.file(FILE).toString();
    return new Identity(Pem.privateKey(text, file), Pem.certificates(text, file));
  }

  /** Whether a server of this home has, or had, this fingerprint. */
  public static boolean isOfHome(HomeDirectory home, Fingerprint shown) throws FdtException {
    byte[] text = home.readIfThere(FILE);
    if (text != null) {
      String file = home.file(FILE).toString();
      if (Fingerprint.of(Pem.certificates(text, file).get(0).getPublicKey()).equals(shown)) {
        return true;
      }
    }
    byte[] others = home.readIfThere(OWN_SERVERS);
    return others != null
        && new String(others, StandardCharsets.UTF_8).lines().anyMatch(shown.toString()::equals);
  }

  /**
   * Records the fingerprint, so that clients of the home trust a server whose key is stored
   * elsewhere.
   */
  public void rememberIn(HomeDirectory home) throws FdtException {
    if (!isOfHome(home, fingerprint())) {
      home.append(OWN_SERVERS, (fingerprint() + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * Reads an identity from two files, as a CA issues it.
   *
   * @throws FdtException USAGE when they cannot be read, or do not match
   */
  public static Identity ofFiles(Path certificates, Path key) throws FdtException {
    Identity identity =
        new Identity(
            Pem.privateKey(read(key), key.toString()),
            Pem.certificates(read(certificates), certificates.toString()));
    if (!identity.isConsistent()) {
      throw new FdtException(
          ErrorCode.USAGE,
          "the key in '%s' does not belong to the first certificate in '%s'"
              .formatted(key, certificates));
    }
    return identity;
  }

  /** Reads the certificates of authorities. */
  public static List<X509Certificate> authorities(Path file) throws FdtException {
    return Pem.certificates(read(file), file.toString());
  }

  private static byte[] read(Path file) throws FdtException {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.USAGE, "cannot read '" + file + "': " + HomeDirectory.reason(e), e);
    }
  }

  /** Whether the certificate verifies a signature of the key. */
  private boolean isConsistent() {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> key.getAlgorithm();
        };
    try {
      Signature signature = Signature.getInstance(algorithm);
      byte[] probe = "FDT".getBytes(StandardCharsets.US_ASCII);
      signature.initSign(key);
      signature.update(probe);
      byte[] signed = signature.sign();
      signature.initVerify(chain.get(0).getPublicKey());
      signature.update(probe);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private byte[] toPem() {
    try {
      return Pem.text(key, chain).getBytes(StandardCharsets.US_ASCII);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot encode a generated certificate", e);
    }
  }

  public Fingerprint fingerprint() {
    return Fingerprint.of(chain.get(0).getPublicKey());
  }

  /** The identity without its key. */
  @Override
  public String toString() {
    return "Identity[" + fingerprint() + "]";
  }
}
