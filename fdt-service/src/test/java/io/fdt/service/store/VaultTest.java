package io.fdt.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.HomeDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VaultTest {
  @TempDir private Path directory;

  private Path home() {
    return directory.resolve("home");
  }

  private Vault open() throws FdtException {
    return Vault.open(new HomeDirectory(home()));
  }

  @Test
  void whatIsEncryptedComesBackAlsoAfterARestart() throws Exception {
    String stored = open().encrypt("fdt_secret", "endpoint");

    assertThat(stored).doesNotContain("secret");
    assertThat(open().decrypt(stored, "endpoint")).isEqualTo("fdt_secret");
    assertThat(open().encrypt("fdt_secret", "endpoint")).isNotEqualTo(stored);
  }

  @Test
  void theKeyIsForItsOwnerOnly() throws Exception {
    open();
    Path key = home().resolve("key");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(this::open).hasMessageContaining("chmod 600");
  }

  @Test
  void everyChangedByteAndEveryOtherPlaceIsRefused() throws Exception {
    Vault vault = open();
    String stored = vault.encrypt("fdt_secret", "endpoint");
    for (int i = 0; i < stored.length() - 2; i++) {
      char other = stored.charAt(i) == 'A' ? 'B' : 'A';
      String changed = stored.substring(0, i) + other + stored.substring(i + 1);
      assertThatThrownBy(() -> vault.decrypt(changed, "endpoint")).isInstanceOf(FdtException.class);
    }
    assertThatThrownBy(() -> vault.decrypt(stored, "other")).isInstanceOf(FdtException.class);
    assertThatThrownBy(() -> vault.decrypt("", "endpoint")).isInstanceOf(FdtException.class);
  }

  @Test
  void anotherKeyOpensNothing() throws Exception {
    String stored = open().encrypt("fdt_secret", "endpoint");
    Vault other = Vault.open(new HomeDirectory(directory.resolve("other")));
    assertThatThrownBy(() -> other.decrypt(stored, "endpoint"))
        .hasMessageContaining("add the endpoint again");
  }
}
