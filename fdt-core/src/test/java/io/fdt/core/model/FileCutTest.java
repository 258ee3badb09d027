package io.fdt.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileCutTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1, 1048576",
    "1048576, 1, 1, 1048576",
    "1048577, 1, 2, 1048576",
    "10485760, 3000000, 4, 3145728",
    "9223372036854775807, 1, 65536, 140737488355328",
  })
  void rangesCoverTheFileAndFitInTheLimit(long size, long least, int count, long bytes) {
    FileCut cut = FileCut.of(size, least);

    assertThat(cut.rangeBytes()).isEqualTo(bytes);
    assertThat(cut.count()).isEqualTo(count);
    assertThat(cut.range(0).start()).isZero();
    assertThat(cut.range(count - 1).end()).isEqualTo(size);
    assertThat(cut.range(count - 1).length()).isPositive();
  }

  @Test
  void aPartOfACutIsOneOfItsRanges() {
    FileCut cut = new FileCut(5 * MIB, 2 * MIB);

    assertThat(cut.part(2))
        .isEqualTo(new FilePart(4 * MIB, OptionalLong.of(MIB), Optional.of(cut)));
    assertThat(cut.part(0).isWhole()).isFalse();
    for (long[] wrong : new long[][] {{MIB, 2 * MIB}, {0, MIB}, {6 * MIB, MIB}, {4 * MIB, 0}}) {
      assertThatThrownBy(() -> new FilePart(wrong[0], OptionalLong.of(wrong[1]), Optional.of(cut)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 1048576", "5, 0", "5, 1000", "5, -1048576", "70000000000, 1048576"})
  void otherCutsAreRefused(long size, long rangeBytes) {
    assertThatThrownBy(() -> new FileCut(size, rangeBytes))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aFileOfAnotherSizeHasChanged() throws Exception {
    FilePart part = new FileCut(5 * MIB, 2 * MIB).part(1);

    assertThat(part.lengthIn(5 * MIB, "f")).isEqualTo(2 * MIB);
    assertThat(part.identity(7)).isEqualTo(7);
    assertThatThrownBy(() -> part.lengthIn(6 * MIB, "f"))
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SOURCE_CHANGED))
        .hasMessageContaining("'f' had 5242880 bytes")
        .hasMessageContaining("6291456");
  }
}
