package io.fdt.core.spec;

import io.fdt.core.unit.ByteSize;

/** Specs of tests. */
public final class Specs {
  private Specs() {}

  /** Two threads for each disk, and blocks of this many bytes. */
  public static TransferSpec blocks(int blockSize) {
    return TransferSpec.builder().blockSize(ByteSize.ofBytes(blockSize)).build();
  }

  /** The same with an assurance. */
  public static TransferSpec blocks(int blockSize, Assurance assurance) {
    return TransferSpec.builder()
        .blockSize(ByteSize.ofBytes(blockSize))
        .checksum(assurance.checksum())
        .verify(assurance.verify())
        .fsync(assurance.fsync())
        .build();
  }

  /**
   * The same with blocks that may be smaller than anybody may ask for: a file of many blocks is a
   * small one then.
   */
  public static TransferSpec withBlocks(int blockSize, TransferSpec spec) {
    return new TransferSpec(
        spec.sources(), spec.options().toBuilder().setBlockSize(blockSize).build());
  }
}
