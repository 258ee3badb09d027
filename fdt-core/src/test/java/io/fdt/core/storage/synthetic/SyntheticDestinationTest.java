package io.fdt.core.storage.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Range;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SyntheticDestinationTest extends DestinationTreeContract {
  private static final FileName NAME = FileName.of("data");

  private SyntheticDestination destination = SyntheticDestination.verifying(List.of());

  @AfterEach
  void noFileStaysOpen() {
    assertThat(destination.openFiles()).isZero();
  }

  @Override
  public DestinationTree openTree() {
    return destination;
  }

  @Override
  public void assertPublished(String path, FileName name, long size) {
    assertThat(destination.publishedPaths()).contains(path);
  }

  @Override
  public void assertNothingThere() {
    assertThat(destination.publishedPaths()).isEmpty();
  }

  @Override
  public byte[] contentOf(String path) {
    throw new AssertionError("it drops what it has compared");
  }

  /** Content is never zeros, so no file here has holes. */
  @Test
  @Override
  public void holesAreZeros() throws Exception {
    try (DestinationDirectory.PendingFile file = create(8)) {
      assertThatThrownBy(() -> file.makeHole(new Range(0, 8))).isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void wrongBytesAreRefused() throws Exception {
    try (DestinationDirectory.PendingFile file = create(8)) {
      assertFails(() -> file.write(Unpooled.buffer().writeLong(1), 0), ErrorCode.VERIFICATION);
    }
  }

  @Test
  void bytesBeyondTheEndAreRefused() throws Exception {
    try (DestinationDirectory.PendingFile file = create(8)) {
      assertFails(() -> writeContent(file, NAME, 0, 9), ErrorCode.VERIFICATION);
    }
  }

  @Test
  void fileThatLacksBytesIsNotPublished() throws Exception {
    try (DestinationDirectory.PendingFile file = create(8)) {
      writeContent(file, NAME, 0, 7);
      assertFails(() -> file.publish(0644, MODIFIED, Durability.NONE), ErrorCode.VERIFICATION);
    }
    assertNothingThere();
  }

  @Test
  void faultsHitWriteAndPublish() throws Exception {
    destination =
        SyntheticDestination.verifying(
            List.of(
                new SyntheticFault(NAME, SyntheticFault.Point.WRITE, 5, ErrorCode.STORAGE_FULL),
                new SyntheticFault(
                    FileName.of("other"), SyntheticFault.Point.PUBLISH, 0, ErrorCode.IO)));
    try (DestinationDirectory.PendingFile file = create(8)) {
      writeContent(file, NAME, 0, 5);
      assertFails(() -> writeContent(file, NAME, 5, 3), ErrorCode.STORAGE_FULL);
    }
    DestinationDirectory root = destination.open(List.of(CONTENTS)).directory();
    try (DestinationDirectory.PendingFile file =
        root.create(FileName.of("other"), FileShape.of(0))) {
      assertFails(() -> file.publish(0644, MODIFIED, Durability.NONE), ErrorCode.IO);
    }
    assertNothingThere();
  }

  private DestinationDirectory.PendingFile create(long size) throws Exception {
    return destination.open(List.of(CONTENTS)).directory().create(NAME, FileShape.of(size));
  }
}
