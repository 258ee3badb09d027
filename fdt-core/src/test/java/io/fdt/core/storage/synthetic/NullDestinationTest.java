package io.fdt.core.storage.synthetic;

import static io.fdt.core.storage.DestinationTreeContract.MODIFIED;
import static io.fdt.core.storage.DestinationTreeContract.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** It has nothing that it was given, so the contract of destinations does not apply. */
class NullDestinationTest {
  private static final FileName NAME = FileName.of("nettest");

  @Test
  void itTakesEverythingAndHasNothing() throws Exception {
    try (NullDestination tree = new NullDestination()) {
      DestinationDirectory directory = tree.open(List.of()).directory();
      assertThat(directory.makeDirectory(NAME).path()).isEqualTo("nettest");
      try (DestinationDirectory.PendingFile file = directory.create(NAME, FileShape.of(1L << 60))) {
        file.write(Unpooled.wrappedBuffer(new byte[1000]), 1L << 59);
        assertFails(() -> file.read(Unpooled.buffer(), 1000, 1L << 59), ErrorCode.IO);
        file.publish(0644, MODIFIED, Durability.NONE);
      }
      assertThat(directory.find(NAME)).isEmpty();
    }
  }
}
