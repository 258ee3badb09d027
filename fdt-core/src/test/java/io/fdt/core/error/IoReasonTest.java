package io.fdt.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class IoReasonTest {
  @Test
  void reasonsAreOurWords() {
    assertThat(IoReason.of(new NoSuchFileException("/a/b"))).isEqualTo("there is no such file");
    assertThat(IoReason.of(new AccessDeniedException("/a/b"))).isEqualTo("permission denied");
    assertThat(IoReason.of(new FileSystemException("/a", null, "No space left on device")))
        .isEqualTo("no space is left");
    assertThat(IoReason.of(new IOException("Cannot run program \"x\": error=2, No such file")))
        .isEqualTo("there is no such file");
  }

  @Test
  void whatNobodyKnowsIsNotShown() {
    assertThat(IoReason.of(new IOException("recvAddress(..) failed with error(-104)")))
        .isEqualTo("input/output error");
    assertThat(IoReason.of(new IOException())).isEqualTo("input/output error");
  }
}
