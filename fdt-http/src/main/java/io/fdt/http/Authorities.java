package io.fdt.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The certificate authorities of SSL_CERT_FILE, as OpenSSL reads it; else those of Java. */
public final class Authorities {
  private static final String VARIABLE = "SSL_CERT_FILE";

  private Authorities() {}

  /**
   * The trust of a process with this environment.
   *
   * @throws FdtException USAGE when the file cannot be read
   */
  public static SSLContext of(Map<String, String> environment) throws FdtException {
    String file = environment.getOrDefault(VARIABLE, "");
    try {
      if (file.isEmpty()) {
        return SSLContext.getDefault();
      }
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        int number = 0;
        for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
          trusted.setCertificateEntry("" + number++, one);
        }
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new FdtException(
          ErrorCode.USAGE,
          "'%s' of %s has no certificates that can be read; name a file in PEM"
              .formatted(file, VARIABLE),
          e);
    }
  }
}
