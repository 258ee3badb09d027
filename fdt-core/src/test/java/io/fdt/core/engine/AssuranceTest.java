package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.BlockHasher;
import io.fdt.core.model.Checksum;
import io.fdt.core.model.FileName;
import io.fdt.core.spec.Assurance;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.fdt.core.storage.synthetic.SyntheticDestination;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Both ends come to the same digest of each file, and it is that of the bytes of the file. */
class AssuranceTest {
  private static final int LARGE = (5 << 20) + 77;
  private static final int SMALL = 700;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

  @ParameterizedTest
  @EnumSource(Checksum.class)
  void digestOfALargeFileIsThatOfItsBytes(Checksum checksum) throws Exception {
    FileName name = FileName.of("large");
    for (int blockSize : new int[] {100_000, 1 << 20, 3 << 20}) {
      check(
          blockSize, checksum, SyntheticSource.file(name, LARGE, List.of()), "large", name, LARGE);
    }
  }

  @ParameterizedTest
  @EnumSource(Checksum.class)
  void digestOfASmallFileIsThatOfItsBytes(Checksum checksum) throws Exception {
    check(
        64 << 10,
        checksum,
        SyntheticSource.tree(50, SMALL, List.of()),
        TestTransfer.path(50),
        SyntheticSource.fileName(50),
        SMALL);
  }

  private void check(
      int blockSize,
      Checksum checksum,
      SyntheticSource source,
      String path,
      FileName name,
      int size)
      throws Exception {
    boolean verify = checksum != Checksum.NONE;
    TransferSpec spec = Specs.blocks(blockSize, new Assurance(checksum, verify, true));
    SyntheticDestination destination = SyntheticDestination.verifying(List.of());
    try (TestTransfer transfer = new TestTransfer(true, spec, allocator, source, destination)) {
      transfer.dial(3);
      transfer.awaitGoodEnd();
      assertThat(transfer.sender.problems).isEmpty();
      String expected = digest(spec, name, size);
      assertThat(transfer.receiver.digests).containsEntry(path, expected);
      assertThat(transfer.sender.digests).containsEntry(path, expected);
      assertThat(transfer.receiver.digests).hasSize((int) destination.filesPublished());
    }
    assertThat(destination.openFiles()).isZero();
  }

  private static String digest(TransferSpec spec, FileName name, int size) {
    ByteBuf content = Unpooled.directBuffer(size);
    try {
      SyntheticContent.of(name).appendTo(content, size, 0);
      byte[] digest = new BlockHasher(spec.digestMethod()).whole(content, 0, size);
      return HexFormat.of().formatHex(digest);
    } finally {
      content.release();
    }
  }
}
