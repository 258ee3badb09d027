package io.fdt.cli.run.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.server.FdtServer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NextStepTest {
  private static final Optional<String> KEY = Optional.of("SHA256:abc");
  private static final Optional<String> FDT = Optional.of("fdt");

  @Test
  void theJarTakesTheFlagsOfTheOriginalFdt() {
    assertThat(new NextStep("vm", 21000, "/run 42", KEY, true).lines(Optional.empty()))
        .containsExactly(
            "fetch from another machine:  java -jar fdt.jar -c vm -p 21000 --fingerprint SHA256:abc"
                + " --token-file FILE -r '/run 42'");
  }

  @Test
  void theInstalledCommandLogsInOnce() {
    assertThat(new NextStep("vm", 21000, "/run42", KEY, true).lines(FDT))
        .containsExactly(
            "fetch from another machine:  fdt login vm:21000 --fingerprint SHA256:abc",
            "  then:  fdt copy -r vm:21000:/run42 .");
    assertThat(new NextStep("vm", FdtServer.DEFAULT_PORT, "/", KEY, false).lines(FDT))
        .containsExactly(
            "fetch from another machine:  fdt copy -r --fingerprint SHA256:abc vm:/ .");
    assertThat(new NextStep("localhost", 1, "/d", Optional.empty(), false).lines(FDT))
        .containsExactly("fetch as the same user of this machine:  fdt copy -r localhost:1:/d .");
  }
}
