package io.fdt.core.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SendWindowTest {
  private static final long STOCK = (long) (0.62 * (4 << 20));

  @TempDir private Path directory;

  @Test
  void theLastNumberIsWhatABufferGrowsTo() throws IOException {
    Path limits = Files.writeString(directory.resolve("wmem"), "4096\t16384\t67108864\n");
    assertThat(SendWindow.most(limits)).isEqualTo((long) (0.62 * (64 << 20)));
  }

  @Test
  void whereNobodySaysItIsWhatLinuxComesWith() throws IOException {
    assertThat(SendWindow.most(directory.resolve("none"))).isEqualTo(STOCK);
    Path odd = Files.writeString(directory.resolve("odd"), "\n");
    assertThat(SendWindow.most(odd)).isEqualTo(STOCK);
  }

  @Test
  void theKernelsOwnFileIsReadWhole() throws Exception {
    Path limits = Path.of("/proc/sys/net/ipv4/tcp_wmem");
    Assumptions.assumeTrue(Files.exists(limits), "only Linux has it");
    Process cat = new ProcessBuilder("cat", limits.toString()).start();
    String text = new String(cat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    long most = Long.parseLong(text.trim().split("\\s+")[2]);
    assertThat(SendWindow.most()).isEqualTo((long) (0.62 * most));
  }
}
