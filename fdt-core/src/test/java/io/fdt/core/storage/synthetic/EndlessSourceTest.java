package io.fdt.core.storage.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.RecordedWalk;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EndlessSourceTest {
  private static final FileName NAME = FileName.of("nettest");

  @Test
  void noiseOverwritesWhatTheBufferHeld() throws Exception {
    byte[] secret = "secret of another session".repeat(1000).getBytes(StandardCharsets.US_ASCII);
    ByteBuf buffer = Unpooled.wrappedBuffer(secret.clone()).clear();
    try (BlockReader reader = open()) {
      assertThat(reader.read(buffer, secret.length, 0)).isEqualTo(secret.length);
    }
    byte[] read = new byte[secret.length];
    buffer.readBytes(read);
    assertThat(new String(read, StandardCharsets.ISO_8859_1)).doesNotContain("secret");
  }

  @Test
  void itEndsWhereItsEntrySays() throws Exception {
    ByteBuf buffer = Unpooled.buffer();
    try (BlockReader reader = open()) {
      assertThat(reader.read(buffer, 1_000_000, EndlessSource.BYTES / 2)).isEqualTo(1_000_000);
      assertThat(reader.read(buffer, 1000, EndlessSource.BYTES - 10)).isEqualTo(10);
      assertThat(reader.read(buffer, 1000, EndlessSource.BYTES)).isZero();
    }
    assertThat(buffer.readableBytes()).isEqualTo(1_000_010);
  }

  private static BlockReader open() throws Exception {
    RecordedWalk walk = RecordedWalk.of(new EndlessSource(NAME));
    assertThat(walk.entries.get("nettest").size()).isEqualTo(EndlessSource.BYTES);
    return walk.files.get("nettest").open();
  }
}
