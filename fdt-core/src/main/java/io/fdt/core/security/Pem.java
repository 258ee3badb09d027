package io.fdt.core.security;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keys and certificates as text between BEGIN and END lines (RFC 7468). Stateless. */
final class Pem {
  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String PRIVATE_KEY = "PRIVATE KEY";
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
  private static final List<String> ALGORITHMS = List.of("EC", "RSA", "Ed25519");
  private static final int LINE = 64;

  private Pem() {}

  static String text(PrivateKey key, List<X509Certificate> chain) throws GeneralSecurityException {
    StringBuilder text = new StringBuilder(block(PRIVATE_KEY, key.getEncoded()));
    for (X509Certificate certificate : chain) {
      text.append(block(CERTIFICATE, certificate.getEncoded()));
    }
    return text.toString();
  }

  private static String block(String label, byte[] bytes) {
    byte[] newline = {'\n'};
    String body = Base64.getMimeEncoder(LINE, newline).encodeToString(bytes);
    return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
  }

  /**
   * All certificates of a text, in their order.
   *
   * @param file the source, for messages
   * @throws FdtException USAGE when there is none, or one that cannot be read
   */
  static List<X509Certificate> certificates(byte[] text, String file) throws FdtException {
    List<X509Certificate> certificates = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (byte[] block : blocks(text, CERTIFICATE)) {
        certificates.add(
            (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block)));
      }
    } catch (CertificateException | IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.USAGE, "'" + file + "' holds a certificate that cannot be read", e);
    }
    if (certificates.isEmpty()) {
      throw new FdtException(ErrorCode.USAGE, "'" + file + "' holds no certificate (PEM)");
    }
    return List.copyOf(certificates);
  }

  /**
   * The private key of a text.
   *
   * @param file the source, for messages
   * @throws FdtException USAGE when there is no readable one
   */
  static PrivateKey privateKey(byte[] text, String file) throws FdtException {
    try {
      for (byte[] block : blocks(text, PRIVATE_KEY)) {
        return privateKey(new PKCS8EncodedKeySpec(block));
      }
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new FdtException(
          ErrorCode.USAGE, "'" + file + "' holds a private key that cannot be read", e);
    }
    throw new FdtException(
        ErrorCode.USAGE,
        "'%s' holds no private key in the form PKCS#8 without a password; convert it: openssl pkcs8 -topk8 -nocrypt"
            .formatted(file));
  }

  private static PrivateKey privateKey(PKCS8EncodedKeySpec spec) throws GeneralSecurityException {
    InvalidKeySpecException last = null;
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        last = e; // a key of another kind
      }
    }
    throw last;
  }

  private static List<byte[]> blocks(byte[] text, String label) {
    List<byte[]> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(new String(text, StandardCharsets.ISO_8859_1));
    while (matcher.find()) {
      if (matcher.group(1).equals(label)) {
        blocks.add(Base64.getMimeDecoder().decode(matcher.group(2)));
      }
    }
    return blocks;
  }
}
