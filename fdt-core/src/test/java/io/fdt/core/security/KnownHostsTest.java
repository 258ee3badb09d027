package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of servers that were met before. */
class KnownHostsTest {
  @TempDir Path directory;

  private final Fingerprint one = Identity.generate().fingerprint();
  private final Fingerprint two = Identity.generate().fingerprint();

  @Test
  void aServerIsRememberedByHostAndPort() throws Exception {
    KnownHosts hosts = new KnownHosts(new HomeDirectory(directory.resolve("fdt")));
    assertThat(hosts.find("storage", 54321)).isEmpty();

    hosts.add("Storage", 54321, one);
    hosts.add("2001:db8::1", 54321, two);

    assertThat(hosts.find("storage", 54321)).contains(one);
    assertThat(hosts.find("STORAGE", 54321)).contains(one);
    assertThat(hosts.find("storage", 5432)).isEmpty();
    assertThat(hosts.find("2001:db8::1", 54321)).contains(two);
    assertThat(Path.of(hosts.file()))
        .hasContent("storage:54321 " + one + "\n[2001:db8::1]:54321 " + two + "\n");
  }

  @Test
  void commentsAreSkippedAndADamagedLineTrustsNobody() throws Exception {
    KnownHosts hosts = new KnownHosts(new HomeDirectory(directory.resolve("fdt")));
    hosts.add("storage", 1, one);
    Path file = Path.of(hosts.file());
    Files.writeString(file, "# mine\n\nother:1 rubbish\n", StandardOpenOption.APPEND);

    assertThat(hosts.find("storage", 1)).contains(one);
    assertThatThrownBy(() -> hosts.find("other", 1))
        .isInstanceOf(FdtException.class)
        .extracting(e -> ((FdtException) e).code())
        .isEqualTo(ErrorCode.UNTRUSTED);
  }
}
