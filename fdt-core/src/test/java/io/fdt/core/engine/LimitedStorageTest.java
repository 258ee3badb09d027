package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.forward.ForwardingSource;
import io.fdt.core.storage.memory.MemoryStorage;
import io.fdt.core.storage.name.NamePolicy;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.fdt.core.storage.synthetic.SyntheticSource;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Transfers into storages that can do less than a directory of this machine. */
class LimitedStorageTest {
  private static TestTransfer transfer(SourceTree source, MemoryStorage storage) throws Exception {
    TestTransfer transfer =
        new TestTransfer(
            true,
            Specs.blocks(64 << 10),
            new UnpooledByteBufAllocator(true),
            source,
            storage.destination(
                TransferSpec.builder().source("/x").destination(BytePath.of("/")).build(),
                OpenFileLimit.NONE));
    transfer.dial(4);
    return transfer;
  }

  @Test
  void aStorageThatOnlyAppendsGetsManyFilesInOrderAndSaysWhatItLoses() throws Exception {
    MemoryStorage storage = new MemoryStorage(MemoryStorage.BUCKET, false);
    int size = 3 << 20;
    try (TestTransfer transfer = transfer(SyntheticSource.tree(12, size, List.of()), storage)) {
      transfer.awaitGoodEnd();
      String losses = "the destination does not keep mode, links";
      assertThat(transfer.sender.problems.keySet()).containsExactly(losses);
      assertThat(transfer.receiver.problems.keySet()).containsExactly(losses);
      assertThat(transfer.sender.session().progress().figures().files().done()).isEqualTo(12);
      for (int i = 1; i <= 12; i++) {
        FileName name = SyntheticSource.fileName(i);
        byte[] there = storage.contentOf(SyntheticSource.directoryName(1) + "/" + name);
        assertThat(there).hasSize(size);
        assertThat(SyntheticContent.of(name).firstDifference(Unpooled.wrappedBuffer(there), 0))
            .isEqualTo(-1);
      }
    }
  }

  @Test
  void aSourceThatDoesNotReadAttributesSaysSoOnceAtBothEnds() throws Exception {
    String losses = "the source does not read xattrs";
    SourceTree source =
        new ForwardingSource(SyntheticSource.tree(3, 1_000, List.of())) {
          @Override
          public String losses() {
            return losses;
          }
        };
    try (TestTransfer transfer = transfer(source, new MemoryStorage(Capabilities.ALL, false))) {
      transfer.awaitGoodEnd();
      assertThat(transfer.sender.problems.keySet()).containsExactly(losses);
      assertThat(transfer.receiver.problems.keySet()).containsExactly(losses);
    }
  }

  @Test
  void aNameThatCannotBeStoredFails() throws Exception {
    NamePolicy policy = name -> !name.toString().endsWith("0");
    MemoryStorage storage = new MemoryStorage(Capabilities.ALL.withNames(policy), false);
    FileName refused = FileName.of("file0");
    try (TestTransfer transfer =
        transfer(SyntheticSource.file(refused, 1000, List.of()), storage)) {
      assertThat(transfer.receiver.end()).isNull();
      assertThat(transfer.receiver.problems).containsEntry("file0", ErrorCode.BAD_NAME);
      assertThat(storage.contentOf("file0")).isNull();
    }
  }
}
