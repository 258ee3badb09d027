package io.fdt.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessTokenTest {
  @Test
  void aTokenIsInNoText(@TempDir Path directory) throws Exception {
    String secret = "fdt_SecretSecretSecretSecretSecretSecretSecret0";
    assertThat(AccessToken.of(secret).toString()).doesNotContain("Secret");
    assertThatThrownBy(() -> AccessToken.of(secret + "\nSecond"))
        .hasMessageNotContainingAny("Secret", "Second");
    Path file = Files.writeString(directory.resolve("token"), secret + "\nSecond\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThatThrownBy(() -> AccessToken.ofFile(file))
        .hasMessageNotContainingAny("Secret", "Second");
  }
}
