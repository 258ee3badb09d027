package io.fdt.core.security;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * A self-signed certificate: a public key in the form that TLS carries.
 *
 * <pre>
 *   Certificate    ::= SEQUENCE { tbsCertificate, algorithm, BIT STRING signature }
 *   tbsCertificate ::= SEQUENCE { [0] version, serial, algorithm, issuer, validity, subject, key, [3] extensions }
 * </pre>
 *
 * <p>Its other fields decide nothing: peers compare the key. It does not expire. Stateless.
 */
final class SelfSigned {
  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int OCTET_STRING = 0x04;
  private static final int UTF8_STRING = 0x0C;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int VERSION = 0xA0;
  private static final int EXTENSIONS = 0xA3;

  /** Object identifiers with their tag and length. */
  private static final byte[] ECDSA_WITH_SHA256 = {
    0x06, 0x08, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x04, 0x03, 0x02
  };

  private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};
  private static final byte[] KEY_USAGE = {0x06, 0x03, 0x55, 0x1D, 0x0F};
  private static final byte[] TRUE = {0x01, 0x01, (byte) 0xFF};

  /** The bit string "digitalSignature": one bit that is set. */
  private static final byte[] DIGITAL_SIGNATURE = {BIT_STRING, 0x02, 0x07, (byte) 0x80};

  private static final int SERIAL_BITS = 127;

  /** RFC 5280's date for "never". */
  private static final String NEVER = "99991231235959Z";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private SelfSigned() {}

  /**
   * @param notBefore start of its validity
   */
  static X509Certificate certificate(
      KeyPair keys, String name, Instant notBefore, SecureRandom random)
      throws GeneralSecurityException {
    byte[] algorithm = element(SEQUENCE, ECDSA_WITH_SHA256);
    byte[] subject =
        element(
            SEQUENCE,
            element(
                SET,
                element(
                    SEQUENCE,
                    COMMON_NAME,
                    element(UTF8_STRING, name.getBytes(StandardCharsets.UTF_8)))));
    byte[] signed =
        element(
            SEQUENCE,
            element(VERSION, element(INTEGER, new byte[] {2})),
            element(INTEGER, new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE).toByteArray()),
            algorithm,
            subject,
            element(SEQUENCE, time(TIME.format(notBefore)), time(NEVER)),
            subject,
            keys.getPublic().getEncoded(),
            element(
                EXTENSIONS,
                element(
                    SEQUENCE,
                    element(SEQUENCE, KEY_USAGE, TRUE, element(OCTET_STRING, DIGITAL_SIGNATURE)))));
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(keys.getPrivate(), random);
    signature.update(signed);
    byte[] whole =
        element(SEQUENCE, signed, algorithm, element(BIT_STRING, new byte[] {0}, signature.sign()));
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(whole));
  }

  private static byte[] time(String text) {
    return element(GENERALIZED_TIME, text.getBytes(StandardCharsets.US_ASCII));
  }

  /** A tag, a length and the parts. */
  private static byte[] element(int tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(length + 4);
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else if (length < 0x100) {
      out.write(0x81);
      out.write(length);
    } else {
      out.write(0x82);
      out.write(length >> 8);
      out.write(length);
    }
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
