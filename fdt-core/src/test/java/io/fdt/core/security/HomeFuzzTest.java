package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** Arbitrary bytes in the files of a home. */
class HomeFuzzTest {
  @TempDir static Path directory;

  @FuzzTest
  void tokens(byte[] data) throws IOException, FdtException {
    List<String> flaws = new ArrayList<>();
    int grants = new TokenFile(homeWith("tokens", data)).grants(flaws).size();
    assertThat(grants + flaws.size()).isLessThanOrEqualTo(1 + data.length);
  }

  @FuzzTest
  void knownHosts(byte[] data) throws IOException {
    try {
      new KnownHosts(homeWith("known_hosts", data)).find("h", 1);
    } catch (FdtException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.UNTRUSTED);
    }
  }

  private static HomeDirectory homeWith(String file, byte[] content) throws IOException {
    Path home = directory.resolve("fdt");
    Files.createDirectories(home);
    Files.write(home.resolve(file), content);
    Files.setPosixFilePermissions(home.resolve(file), PosixFilePermissions.fromString("rw-------"));
    return new HomeDirectory(home);
  }
}
