package io.fdt.e2e.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The log of messages and frames, with {@code -Dfdt.trace=wire}. */
class WireTraceTest {
  @RegisterExtension final Lab lab = new Lab();

  @Test
  void eachMessageAndFrameIsOneLineWithoutSecrets() throws IOException {
    Content.write(lab.root().resolve("tree/large"), 5 << 20, 1);
    lab.directory("in");
    RunningCommand server = lab.serve("--export", "in:rw");
    String to = "fdt://127.0.0.1:" + server.port() + "/in/";

    Outcome outcome =
        lab.runJava(
                List.of("-Dfdt.trace=wire"),
                List.of("-jar", System.getProperty("fdt.jar"), "copy", "-r", "-v", "tree", to))
            .expect(0);

    assertThat(outcome.err().lines().filter(line -> line.contains(" wire ")))
        .anyMatch(line -> line.matches(".* wire >> .* OPEN_SESSION number=0 received=0 bytes=\\d+"))
        .anyMatch(line -> line.contains(" wire << "))
        .anyMatch(line -> line.matches(".* stream \\d BLOCK number=\\d+ file=\\d+ offset=\\d+ .*"))
        .noneMatch(line -> line.contains(token()));
  }

  private String token() {
    try {
      return Files.readString(lab.home().resolve("token")).strip();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
