package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.buffer.BlockAllocator;
import io.fdt.core.model.Compression;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.synthetic.SyntheticDestination;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.fdt.core.transport.DataStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads are compressed on their way; digests are those of the plain bytes. */
class CompressedTransferTest {
  private static final int FILES = 40;
  private static final int SIZE = 300_000;

  private record Ended(Map<String, String> digests, long wireBytes) {}

  @ParameterizedTest
  @ValueSource(strings = {"auto", "zstd:1", "lz4", "deflate:1"})
  void filesHaveTheDigestsOfTheirPlainBytes(String how) throws Exception {
    Ended plain = transfer(Compression.OFF);
    Ended compressed = transfer(Compression.parse(how));
    assertThat(compressed.digests()).isEqualTo(plain.digests()).hasSize(FILES);
    assertThat(plain.wireBytes()).isGreaterThan((long) FILES * SIZE);
  }

  private static Ended transfer(Compression compression) throws Exception {
    TransferSpec spec = Specs.blocks(64 << 10).toBuilder().compression(compression).build();
    try (TestTransfer transfer =
        new TestTransfer(
            true,
            spec,
            BlockAllocator.create(1),
            SyntheticSource.tree(FILES, SIZE, List.of()),
            SyntheticDestination.verifying(List.of()))) {
      transfer.dial(3);
      transfer.awaitGoodEnd();
      assertThat(transfer.receiver.problems).isEmpty();
      long wireBytes = transfer.all.stream().mapToLong(DataStream::wireBytes).sum();
      return new Ended(Map.copyOf(transfer.receiver.digests), wireBytes);
    }
  }
}
