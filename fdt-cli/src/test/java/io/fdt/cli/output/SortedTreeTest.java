package io.fdt.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.client.RemoteFile;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteVisitor;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SortedTreeTest {
  private int shown;

  @Test
  void aDirectoryWithTooManyNamesEndsTheListing() {
    SortedTree sorted = new SortedTree(new Counter());
    RemoteFile file =
        new RemoteFile(
            BytePath.of("a/b"),
            Optional.of(EntryKind.FILE),
            0,
            0644,
            new Timestamp(0, 0),
            BytePath.EMPTY);
    for (int i = 0; i < RemoteFiles.MAX_NAMES; i++) {
      sorted.file(file);
    }
    assertThatThrownBy(() -> sorted.file(file)).isInstanceOf(RemoteFiles.TooMany.class);
    assertThat(shown).isZero();
  }

  private final class Counter implements RemoteVisitor {
    @Override
    public void file(RemoteFile file) {
      shown++;
    }

    @Override
    public void problem(String path, ErrorCode code, String message) {
      throw new AssertionError(message);
    }
  }
}
