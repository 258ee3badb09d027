package io.fdt.core.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.engine.meter.CheckMeter;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.session.receiver.PlacedEntry;
import io.fdt.core.spec.Specs;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.core.storage.memory.MemoryStorage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The placement of entries where the storage can do less than a directory of this machine. */
class LimitedPlacesTest {
  private final List<PlacedEntry<ReceivedFileWriter>> outcomes = new ArrayList<>();

  private static DestinationTree tree(MemoryStorage storage) {
    return storage.destination(
        TransferSpec.builder().source("/x").destination(BytePath.of("/")).build(),
        OpenFileLimit.NONE);
  }

  private void place(MemoryStorage storage, Entry... entries) throws Exception {
    try (DestinationTree tree = tree(storage)) {
      TransferSpec spec = Specs.blocks(TransferSpec.MIN_BLOCK);
      EntryPlacer placer =
          new EntryPlacer(tree, spec, new Replacements(spec, new CheckMeter()), new FirstNames(10));
      placer.open(List.of(DestinationTreeContract.CONTENTS));
      placer.place(List.of(entries), outcomes);
      placer.close();
    }
  }

  private static Entry entry(long id, String name, EntryKind kind) {
    return new Entry(
        id,
        Entry.ROOT,
        FileName.of(name),
        kind,
        kind == EntryKind.FILE ? 10 : 0,
        0644,
        DestinationTreeContract.MODIFIED,
        kind == EntryKind.SYMLINK ? BytePath.of("target") : BytePath.EMPTY);
  }

  private static ErrorCode codeOf(PlacedEntry<ReceivedFileWriter> failed) {
    return ((PlacedEntry.Failed<ReceivedFileWriter>) failed).cause().code();
  }

  @Test
  void aLinkFailsByNameWhereNoneAreKept() throws Exception {
    place(
        new MemoryStorage(MemoryStorage.BUCKET, false),
        entry(1, "link", EntryKind.SYMLINK),
        entry(2, "file", EntryKind.FILE));
    assertThat(codeOf(outcomes.get(0))).isEqualTo(ErrorCode.WRONG_KIND);
    assertThat(outcomes.get(1)).isInstanceOf(PlacedEntry.Wanted.class);
  }

  @Test
  void theSecondSpellingOfANameFailsWhereNamesAreFolded() throws Exception {
    place(
        new MemoryStorage(Capabilities.ALL, true),
        entry(1, "file", EntryKind.FILE),
        entry(2, "FILE", EntryKind.FILE));
    assertThat(outcomes.get(0)).isInstanceOf(PlacedEntry.Wanted.class);
    assertThat(codeOf(outcomes.get(1))).isEqualTo(ErrorCode.BAD_NAME);
  }

  @Test
  void aTimeThatWasRoundedDownIsTheSame() throws Exception {
    MemoryStorage storage = new MemoryStorage(MemoryStorage.BUCKET, false);
    try (DestinationTree tree = tree(storage)) {
      DestinationDirectory base = tree.open(List.of(DestinationTreeContract.CONTENTS)).directory();
      try (DestinationDirectory.PendingFile file =
          base.create(FileName.of("file"), FileShape.of(10))) {
        file.publish(0644, DestinationTreeContract.MODIFIED, Durability.NONE);
      }
    }
    place(storage, entry(1, "file", EntryKind.FILE));
    assertThat(outcomes).singleElement().isInstanceOf(PlacedEntry.Unchanged.class);
  }
}
