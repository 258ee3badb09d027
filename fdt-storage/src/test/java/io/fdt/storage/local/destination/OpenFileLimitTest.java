package io.fdt.storage.local.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.Root;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.storage.local.os.ExportedRoots;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unfinished files are open; how many may be is bounded, and each counts until it is closed. */
class OpenFileLimitTest {
  private static final int MOST = 3;

  @TempDir Path directory;

  private int open;

  @Test
  void aFileTooManyFailsUntilAnotherOneIsClosed() throws Exception {
    ExportedRoots roots =
        ExportedRoots.open(
            List.of(new ExportedStorage.Root(null, BytePath.of(directory.toString()), true)));
    LocalDestination tree =
        LocalDestination.confined(
            roots, BytePath.of("/"), true, Preservation.DEFAULT, Optional.empty(), limit());
    DestinationDirectory base =
        tree.open(List.of(new Root(FileName.of("file"), EntryKind.FILE, 0644, new Timestamp(1, 0))))
            .directory();
    List<PendingFile> files = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      files.add(base.create(FileName.of("file" + i), FileShape.of(10)));
    }

    assertThatThrownBy(() -> base.create(FileName.of("one-more"), FileShape.of(10)))
        .extracting(e -> ((FdtException) e).code())
        .isEqualTo(ErrorCode.RESOURCES);
    files.get(0).publish(0644, new Timestamp(1, 0), Durability.NONE);
    files.get(0).close();
    assertThat(open).isEqualTo(MOST - 1);
    files.add(base.create(FileName.of("one-more"), FileShape.of(10)));
    files.get(1).discard();
    files.get(1).close();
    assertThat(open).isEqualTo(MOST - 1);
    assertThatThrownBy(() -> base.create(FileName.of("file2"), FileShape.of(10)))
        .as("it is being written already")
        .isInstanceOf(FdtException.class);
    assertThat(open).isEqualTo(MOST - 1);

    tree.close();
    roots.close();
    assertThat(open).isZero();
  }

  private OpenFileLimit limit() {
    return new OpenFileLimit() {
      @Override
      public void take() throws FdtException {
        if (open == MOST) {
          throw new FdtException(ErrorCode.RESOURCES, "enough");
        }
        open++;
      }

      @Override
      public void giveBack() {
        open--;
      }
    };
  }
}
