package io.fdt.core.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.SourceTree;
import io.fdt.core.storage.SourceTreeContract;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Nested;

/** Storages that can do less and less pass the same contracts. */
class MemoryStorageTest {
  private static final long WINDOW = 8 << 20;

  private static DestinationTree destination(MemoryStorage storage) {
    return storage.destination(
        TransferSpec.builder().source("/x").destination(BytePath.of("/")).build(),
        OpenFileLimit.NONE);
  }

  /** The contract for one kind of storage. */
  private abstract static class Kind extends DestinationTreeContract {
    private final MemoryStorage storage;

    Kind(MemoryStorage storage) {
      this.storage = storage;
    }

    @Override
    public DestinationTree openTree() {
      return destination(storage);
    }

    @Override
    public void assertPublished(String path, FileName name, long size) {
      assertThat(contentOf(path)).hasSize(Math.toIntExact(size));
      assertThat(
              SyntheticContent.of(name).firstDifference(Unpooled.wrappedBuffer(contentOf(path)), 0))
          .isEqualTo(-1);
    }

    @Override
    public void assertNothingThere() {
      assertThat(storage.isEmpty()).isTrue();
    }

    @Override
    public byte[] contentOf(String path) {
      return storage.contentOf(path);
    }
  }

  @Nested
  class Whole extends Kind {
    Whole() {
      super(new MemoryStorage());
    }
  }

  @Nested
  class WithoutRandomWrites extends Kind {
    WithoutRandomWrites() {
      super(new MemoryStorage(Capabilities.ALL.withWindow(WINDOW), false));
    }
  }

  @Nested
  class FoldingNames extends Kind {
    FoldingNames() {
      super(new MemoryStorage(Capabilities.ALL, true));
    }
  }

  @Nested
  class LikeABucket extends Kind {
    LikeABucket() {
      super(new MemoryStorage(MemoryStorage.BUCKET, false));
    }
  }

  @Nested
  class Read extends SourceTreeContract {
    @Override
    public SourceTree openTree() throws Exception {
      MemoryStorage storage = new MemoryStorage();
      try (DestinationTree tree = destination(storage)) {
        DestinationDirectory base =
            tree.open(List.of(DestinationTreeContract.CONTENTS)).directory();
        DestinationDirectory inner = base.makeDirectory(FileName.of("a"));
        put(base, "one");
        put(inner, "two");
        put(inner.makeDirectory(FileName.of("b")), "three");
      }
      return storage.source(TransferSpec.builder().recursive(true).source("/").build());
    }

    private static void put(DestinationDirectory directory, String name) throws Exception {
      try (DestinationDirectory.PendingFile file =
          directory.create(FileName.of(name), FileShape.of(SIZE))) {
        DestinationTreeContract.writeContent(file, FileName.of(name), 0, SIZE);
        file.publish(0644, DestinationTreeContract.MODIFIED, Durability.NONE);
      }
    }
  }
}
