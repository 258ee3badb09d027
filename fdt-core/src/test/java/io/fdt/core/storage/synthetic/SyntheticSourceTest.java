package io.fdt.core.storage.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.RecordedWalk;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

class SyntheticSourceTest extends SourceTreeContract {
  private static final FileName SECOND = SyntheticSource.fileName(2);

  @Override
  public SourceTree openTree() {
    return SyntheticSource.tree(1001, 100_003, List.of());
  }

  @Test
  void treeHasAThousandFilesInEachDirectory() throws Exception {
    RecordedWalk walk = RecordedWalk.of(SyntheticSource.tree(2001, 5, List.of()));
    assertThat(walk.files).hasSize(2001);
    assertThat(walk.paths())
        .contains(
            "directory000001/file000001",
            "directory000001/file001000",
            "directory000002/file001001",
            "directory000003/file002001");
    assertThat(walk.entries.values())
        .filteredOn(entry -> entry.kind() == EntryKind.DIRECTORY)
        .hasSize(3);
  }

  @Test
  void endlessFileNeverEndsAndItsFarWordsAreRight() throws Exception {
    FileName name = FileName.of("nettest");
    RecordedWalk walk = RecordedWalk.of(SyntheticSource.endless(name));
    try (BlockReader reader = walk.files.get("nettest").open()) {
      assertReads(
          reader,
          name,
          io.netty.buffer.UnpooledByteBufAllocator.DEFAULT,
          1000,
          (1L << 59) + 3,
          1000);
    }
  }

  @Test
  void faultsHitTheirFileAndOffsetOnly() throws Exception {
    SyntheticSource source =
        SyntheticSource.tree(
            3,
            1000,
            List.of(
                new SyntheticFault(SECOND, SyntheticFault.Point.READ, 500, ErrorCode.IO),
                new SyntheticFault(
                    SyntheticSource.fileName(3),
                    SyntheticFault.Point.OPEN,
                    0,
                    ErrorCode.PERMISSION)));
    RecordedWalk walk = RecordedWalk.of(source);
    ByteBuf buffer = Unpooled.buffer();
    try (BlockReader reader = walk.files.get("directory000001/file000002").open()) {
      assertThat(reader.read(buffer, 500, 0)).isEqualTo(500);
      assertFails(() -> reader.read(buffer, 500, 500), ErrorCode.IO);
      assertThat(reader.read(buffer, 499, 501)).isEqualTo(499);
      assertThat(source.openReaders()).isEqualTo(1);
    }
    assertFails(() -> walk.files.get("directory000001/file000003").open(), ErrorCode.PERMISSION);
    assertThat(source.openReaders()).isZero();
  }

  private static void assertFails(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, ErrorCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(FdtException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
