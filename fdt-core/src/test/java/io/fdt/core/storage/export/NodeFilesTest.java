package io.fdt.core.storage.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.storage.os.ExportedRoots;
import io.fdt.core.storage.os.FileDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a front end can have its data node write to. */
class NodeFilesTest {
  private static final String PARTIAL = ".fdt-0123456789abcdef.part";

  @TempDir Path directory;

  private long inode(String name) throws Exception {
    return (long) Files.getAttribute(directory.resolve(name), "unix:ino");
  }

  @Test
  void aNodeWritesToPartialFilesOnly() throws Exception {
    Files.writeString(directory.resolve("precious"), "kept");
    Files.writeString(directory.resolve(PARTIAL), "");
    try (ExportedRoots roots =
            ExportedRoots.open(
                List.of(
                    new ExportedRoots.ExportedRoot(
                        null, BytePath.of(directory.toString()), true)));
        NodeFiles files = new NodeFiles(roots)) {
      long inode = inode("precious");

      assertThatThrownBy(() -> files.partial(BytePath.of("/precious"), inode))
          .isInstanceOfSatisfying(
              FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
          .hasMessageContaining("precious' is no partial file");
      try (FileDescriptor partial = files.partial(BytePath.of("/" + PARTIAL), inode(PARTIAL))) {
        assertThat(partial).isNotNull();
      }
    }
  }
}
