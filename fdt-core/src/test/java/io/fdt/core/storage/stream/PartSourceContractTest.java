package io.fdt.core.storage.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.model.FilePart;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.fdt.core.storage.synthetic.SyntheticSource;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;

/** A part is a file like any other, whose first byte is not the first one of the whole. */
class PartSourceContractTest extends SourceTreeContract {
  private static final int START = 4_321;

  private final SyntheticSource whole =
      SyntheticSource.file(FileName.of("whole"), START + SIZE + 1_000, List.of());

  @AfterEach
  void noFileStaysOpen() {
    assertThat(whole.openReaders()).isZero();
  }

  @Override
  public SourceTree openTree() {
    return new PartSource(whole, new FilePart(START, OptionalLong.of(SIZE)));
  }

  @Override
  public boolean hasDirectories() {
    return false;
  }

  @Override
  public long start() {
    return START;
  }
}
