package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys and certificates: made, kept, read again. */
class IdentityTest {
  @TempDir Path directory;

  @Test
  void theJdkReadsTheCertificateAndVerifiesItsSignature() throws Exception {
    X509Certificate certificate = Identity.generate().chain().get(0);

    certificate.verify(certificate.getPublicKey());
    assertThat(certificate.getNotBefore().toInstant()).isBefore(Instant.now());
    assertThat(certificate.getNotAfter().toInstant()).isAfter("2200-01-01T00:00:00Z");
    assertThat(certificate.getVersion()).isEqualTo(3);
    assertThat(certificate.getSerialNumber().signum()).isPositive();
    assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=FDT server");
    assertThat(certificate.getKeyUsage()[0]).as("digitalSignature").isTrue();
    assertThat(certificate.getPublicKey().getAlgorithm()).isEqualTo("EC");
  }

  @Test
  void everyIdentityIsAnotherOne() {
    Set<Fingerprint> fingerprints =
        Stream.generate(() -> Identity.generate().fingerprint())
            .limit(20)
            .collect(Collectors.toSet());

    assertThat(fingerprints).hasSize(20);
  }

  @Test
  void aHomeKeepsItsIdentityForItsOwnerOnly() throws Exception {
    HomeDirectory home = new HomeDirectory(directory.resolve("config/fdt"));

    Identity made = Identity.ofHome(home);

    assertThat(Identity.ofHome(home)).isEqualTo(made);
    assertThat(Identity.isOfHome(home, made.fingerprint())).isTrue();
    assertThat(Identity.isOfHome(home, Identity.generate().fingerprint())).isFalse();
    assertThat(permissions(home.file("identity.pem"))).isEqualTo("rw-------");
    assertThat(permissions(directory.resolve("config/fdt"))).isEqualTo("rwx------");
    assertThat(directory.resolve("config/fdt").toFile().list()).containsExactly("identity.pem");
  }

  @Test
  void ofServersThatStartAtOnceAllHaveTheSameIdentity() throws Exception {
    int servers = 16;
    ExecutorService executor = Executors.newFixedThreadPool(servers);
    try {
      CyclicBarrier start = new CyclicBarrier(servers);
      Callable<Identity> server =
          () -> {
            start.await(30, TimeUnit.SECONDS);
            return Identity.ofHome(new HomeDirectory(directory.resolve("fdt")));
          };
      List<Future<Identity>> identities = new ArrayList<>();
      for (int i = 0; i < servers; i++) {
        identities.add(executor.submit(server));
      }
      Identity first = identities.get(0).get(60, TimeUnit.SECONDS);
      for (Future<Identity> identity : identities) {
        assertThat(identity.get(60, TimeUnit.SECONDS)).isEqualTo(first);
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(directory.resolve("fdt").toFile().list()).containsExactly("identity.pem");
  }

  @Test
  void aKeyThatOthersCanReadIsRefused() throws Exception {
    HomeDirectory home = new HomeDirectory(directory.resolve("fdt"));
    Identity.ofHome(home);
    Path file = home.file("identity.pem");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));

    assertThatThrownBy(() -> Identity.ofHome(home))
        .isInstanceOf(FdtException.class)
        .hasMessage("others may read or change '%s'; run: chmod 600 %s", file, file)
        .extracting(e -> ((FdtException) e).code())
        .isEqualTo(ErrorCode.FORBIDDEN);
  }

  @Test
  void aHomeThatOthersCanChangeIsRefused() throws Exception {
    Path path = directory.resolve("fdt");
    HomeDirectory home = new HomeDirectory(path);
    Identity.ofHome(home);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));

    assertThatThrownBy(() -> Identity.ofHome(home))
        .hasMessage("others may change '%s'; run: chmod 700 %s", path, path);
  }

  @Test
  void aDamagedIdentityIsSaidAndNotReplaced() throws Exception {
    HomeDirectory home = new HomeDirectory(directory.resolve("fdt"));
    Identity.ofHome(home);
    Path file = home.file("identity.pem");
    String text = Files.readString(file);
    Files.writeString(file, text.substring(0, 100));

    assertThatThrownBy(() -> Identity.ofHome(home))
        .isInstanceOf(FdtException.class)
        .hasMessageContaining(file.toString());
    assertThat(file).hasContent(text.substring(0, 100));
  }

  @Test
  void keyAndCertificateThatDoNotBelongTogetherAreRefused() throws Exception {
    HomeDirectory one = new HomeDirectory(directory.resolve("one"));
    HomeDirectory two = new HomeDirectory(directory.resolve("two"));
    Identity first = Identity.ofHome(one);
    Identity.ofHome(two);
    Path certificate = one.file("identity.pem");

    assertThat(Identity.ofFiles(certificate, certificate)).isEqualTo(first);
    assertThatThrownBy(() -> Identity.ofFiles(certificate, two.file("identity.pem")))
        .hasMessageContaining("does not belong to the first certificate");
    assertThatThrownBy(() -> Identity.ofFiles(certificate, directory.resolve("missing")))
        .hasMessage("cannot read '%s': no such file or directory", directory.resolve("missing"));
  }

  @Test
  void theKeyIsInNoText() {
    Identity identity = Identity.generate();

    assertThat(identity).hasToString("Identity[" + identity.fingerprint() + "]");
  }

  private static String permissions(Path file) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
